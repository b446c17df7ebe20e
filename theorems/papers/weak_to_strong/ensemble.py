r"""The bi-level and subset ensembles, and minimum-norm interpolators trained on them: exact exponents, simulation exact in law.

Bi-level (p, q, r) at scale n: d = n^p features, s = round(n^r) of them favoured with variance l_F = a d/s, a = n^{-q}, the others with
l_U = (1 - a) d/(d - s). The weak model sees s_w of the strong favoured features and d_w - s_w of the strong unfavoured ones. Of the
latter only k directions matter to the strong model, those of the weak coefficients of k labels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flint import fmpq

from solvers.min_norm import Fit, Reals, extended_gram, fit, inverse_forms, labelled_gram, signs


@dataclass(frozen=True)
class Bilevel:
    """The exponents of a bi-level ensemble."""

    p: fmpq
    q: fmpq
    r: fmpq

    @property
    def tau(self) -> fmpq:
        """p + 1 - 2(q + r)."""
        return self.p + 1 - 2 * (self.q + self.r)

    @property
    def growth(self) -> fmpq:
        """min(1 - r, tau): twice the exponent of R under clean labels."""
        return min(1 - self.r, self.tau)

    def at(self, n: int) -> Level:
        """The ensemble at scale n."""
        p, q, r = (int(e.p) / int(e.q) for e in (self.p, self.q, self.r))
        d, s, a = float(n) ** p, round(n**r), float(n) ** -q
        return Level(d, s, a * d / s, (1 - a) * d / (d - s))

    def __str__(self) -> str:
        return f"({self.p}, {self.q}, {self.r})"


@dataclass(frozen=True)
class Level:
    """Dimension, number of favoured features, and the variances of favoured and unfavoured ones."""

    d: float
    s: int
    favoured: float
    unfavoured: float


def ensemble(p: int, q: int, r: int) -> Bilevel:
    """The ensemble with these exponents in hundredths."""
    return Bilevel(fmpq(p, 100), fmpq(q, 100), fmpq(r, 100))


def exponent(strong: Bilevel, weak: Bilevel, u: fmpq) -> fmpq:
    """e(u) = min(u - 1 + min(1 - r, tau_s) + tau_w, 1 - r_w) / 2; the last term is the weak model's error on its favoured features."""
    return min(u - 1 + strong.growth + weak.tau, 1 - weak.r) / 2


def threshold(strong: Bilevel, weak: Bilevel) -> fmpq:
    """u* = 1 - min(1 - r, tau_s) - tau_w, where e(u*) = 0."""
    return 1 - strong.growth - weak.tau


def scale(n: int, u: fmpq) -> int:
    """round(n^u)."""
    return round(float(n) ** (int(u.p) / int(u.q)))


def ratios(model: Fit) -> Reals:
    """R_l = b_l / sqrt(|f|^2 - b_l^2) of label l on feature l, shape (draws, labels)."""
    own = np.diagonal(model.strong, axis1=1, axis2=2)
    return np.asarray(own / np.sqrt(model.norms() - own**2))


def accuracy(R: Reals) -> Reals:
    """1/2 + arctan(R)/pi."""
    return np.asarray(0.5 + np.arctan(R) / np.pi)


def clean(
    rng: np.random.Generator,
    draws: int,
    n: int,
    kind: Bilevel,
    labels: int = 1,
    *,
    of: Callable[[Reals], Reals] = signs,
) -> Fit:
    """Interpolators of n clean samples, labelled by the first `labels` favoured features (by their signs)."""
    level = kind.at(n)
    known = np.stack([labelled_gram(rng, n, labels, of) for _ in range(draws)])
    gram = extended_gram(rng, known, n, labels, level.s - labels)
    return fit(inverse_forms(rng, gram, n, level.d - level.s), np.full(level.s, level.favoured), level.unfavoured)


Labels = Callable[[np.random.Generator, Reals], Reals]  # (rng, weak scores (rows, k)) -> labels (rows, c)


def weak_signs(rng: np.random.Generator, scores: Reals) -> Reals:
    """The sign of each weak score."""
    return signs(scores)


def coin_flips(rng: np.random.Generator, scores: Reals) -> Reals:
    """Labels that ignore the scores."""
    return signs(rng.random(scores.shape) - 0.5)


def coin_clean(rng: np.random.Generator, draws: int, n: int, kind: Bilevel) -> Fit:
    """Interpolators of coin flips."""
    return clean(rng, draws, n, kind, of=lambda Z: coin_flips(rng, Z))


@dataclass(frozen=True)
class Students:
    """Strong models and their teachers.

    Attributes:
        weak: the teachers.
        strong: interpolators of the labels given, twice as many draws as teachers: the second half is trained on the data of the
            first half with the features orthogonal to the weak scores reflected.
        direction: coefficients of the teachers on the s favoured features and on k directions of the bulk, of norm 1 for k = 1.
    """

    weak: Fit
    strong: Fit
    direction: Reals


def teach(
    rng: np.random.Generator,
    draws: int,
    n: int,
    strong: Bilevel,
    weak: Bilevel,
    u: fmpq,
    *,
    k: int = 1,
    labels: Labels = weak_signs,
) -> Students:
    """Weak models on n clean samples label n^u fresh ones, on which strong models are trained."""
    teacher, level, m = clean(rng, draws, n, weak, k), strong.at(n), scale(n, u)
    spikes = level.s + k
    W = np.zeros((draws, spikes, k))
    W[:, : teacher.strong.shape[1]] = teacher.strong
    W[:, level.s :] = np.swapaxes(np.linalg.cholesky(teacher.bulk), 1, 2)
    Q, R = np.linalg.qr(W, mode="complete")

    def given(turned: Reals) -> Callable[[Reals], Reals]:
        return lambda Z: labels(rng, Z @ turned)

    known = np.stack([labelled_gram(rng, m, k, given(T)) for T in R[:, :k]])
    gram = extended_gram(rng, known, m, k, level.s, reflected=True)
    c = gram.shape[1] - spikes
    turn = np.zeros((draws, spikes + c, spikes + c))
    turn[:, :spikes, :spikes], turn[:, spikes:, spikes:] = Q, np.eye(c)
    turn = np.concatenate([turn, turn])
    forms = inverse_forms(rng, turn @ gram @ np.swapaxes(turn, 1, 2), m, level.d - level.s - k)
    variances = np.full(spikes, level.favoured)
    variances[level.s :] = level.unfavoured
    return Students(teacher, fit(forms, variances, level.unfavoured), W)


def reflected_mean(x: Reals) -> Reals:
    """The mean of each draw and its reflection; shape (2 draws, ...) to (draws, ...)."""
    half = len(x) // 2
    return np.asarray((x[:half] + x[half:]) / 2)
