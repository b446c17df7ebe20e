"""The vectors of the one-dimensional example, exactly in Q(sqrt 3): partial sums on the unit circle within 60 degrees."""

from __future__ import annotations

from flint import fmpq

from solvers.relu.quadratic import Quadratic
from theorems import Q

ROOT3 = Quadratic(Q(0), Q(1))
ZERO = Quadratic(Q(0), Q(0))
THIRTY = (ROOT3 * Q(1, 2), Quadratic(Q(1, 2), Q(0)))  # the unit vector at 30 degrees


def chain(angles, first):
    """The vectors v_1..v_n with partial sums s_1 = first, s_k = Rot(phi_k) s_1, s_n = (0, 1); and the s_k."""
    s = [first]
    for t in angles:
        c, d = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
        s.append((first[0] * c - first[1] * d, first[0] * d + first[1] * c))
    s.append((ZERO, Quadratic(Q(1), Q(0))))
    v = [s[0]] + [(a[0] - b[0], a[1] - b[1]) for a, b in zip(s[1:], s)]
    return v[::-1], s


def inner(a, b):
    """a . b in the field."""
    return a[0] * b[0] + a[1] * b[1]


class Key:
    """Exact order of field elements."""

    def __init__(self, x):
        self.x = x

    def __lt__(self, other):
        return (self.x - other.x).sign() < 0


def in_cone(v, active, u):
    """Whether u is in the closed cone of the cell with these active samples."""
    chosen = set(active)
    return all((inner(x, u).sign() >= 0) if i in chosen else (inner(x, u).sign() <= 0) for i, x in enumerate(v))


def largest(v, active):
    """(|Pi_K(c)|^2, the direction) for c the sum of the active v_i over the closed cone, in two dimensions."""
    c = (sum((v[i][0] for i in active), ZERO), sum((v[i][1] for i in active), ZERO))
    if in_cone(v, active, c):
        return inner(c, c), c, True
    best = (ZERO, (ZERO, ZERO), False)
    for x in v:
        for ray in ((x[1], -x[0]), (-x[1], x[0])):
            if in_cone(v, active, ray) and inner(c, ray).sign() > 0:
                square = inner(c, ray) * inner(c, ray) / inner(ray, ray)
                if (square - best[0]).sign() > 0:
                    best = (square, ray, False)
    return best


def activation_sets(v):
    """All activation sets of n distinct one-dimensional inputs: suffixes and prefixes in the order of the inputs."""
    n = len(v)
    order = sorted(range(n), key=lambda i: Key(v[i][0] / v[i][1]))
    return [order[k:] for k in range(n)] + [order[:k] for k in range(n)]


TAN30 = Q(577, 1000)  # just below tan(30 degrees), the tangent of half of 60 degrees


def tangents(n, spread, steps):
    """Increasing half-angle tangents t_2 < .. < t_{n-1} in (0, tan 30)."""
    if n == 2:
        return []
    used = list(steps)[: n - 2]
    total = sum(used, Q(0)) + Q(1, 3)
    sums, at = [], Q(0)
    for h in used:
        at += h
        sums.append(at / total)
    if spread == "near 0":
        return [x / 10**5 for x in sums]
    if spread == "near 60 degrees":
        return [TAN30 - (1 - x) * Q(4, 10**4) for x in sums]
    return [x * TAN30 / (2 if spread == "narrow" else 1) for x in sums]


def data_of_chain(n, spread, steps, first):
    """v and nu, and the n + 1 tight directions s_1..s_n and s_n - s_1."""
    v, s = chain(tangents(n, spread, steps), first)
    return v, [x[1] for x in v], [*s, (s[-1][0] - s[0][0], s[-1][1] - s[0][1])]


def atoms_of(v, nu, directions):
    """The atoms (X u)_+ of unit directions u, x_i = v_i / nu_i."""
    return [[positive(inner(x, u)) / w for x, w in zip(v, nu)] for u in directions]


def combined(weights, atoms):
    """sum_j g_j a_j."""
    return [sum((g * a[i] for g, a in zip(weights, atoms)), ZERO) for i in range(len(atoms[0]))]


def positive(x):
    """max(x, 0) in the field."""
    return x if x.sign() > 0 else ZERO


def determinant(rows):
    """The determinant of a square matrix over the field, by elimination."""
    rows, value = [list(row) for row in rows], Quadratic(Q(1), Q(0))
    for i in range(len(rows)):
        found = next((r for r in range(i, len(rows)) if rows[r][i].sign() != 0), None)
        if found is None:
            return ZERO
        if found != i:
            rows[i], rows[found], value = rows[found], rows[i], -value
        value = value * rows[i][i]
        for r in range(i + 1, len(rows)):
            factor = rows[r][i] / rows[i][i]
            rows[r] = [a - factor * b for a, b in zip(rows[r], rows[i])]
    return value


def rounded(x, bits=20):
    """An element of the field rounded down to a multiple of 2^-bits."""
    scale = 2**bits
    step = int(float(x.p + x.q * fmpq(17320508, 10**7)) * scale)
    while (x * scale - (step + 1)).sign() >= 0:
        step += 1
    while (x * scale - step).sign() < 0:
        step -= 1
    return fmpq(step, scale)
