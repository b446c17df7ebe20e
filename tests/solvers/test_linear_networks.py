"""Two-layer linear networks against integration by SciPy, the defining equations, and limits known in closed form."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from flint import arb, arb_mat, fmpq, fmpq_mat

from solvers.enclosures import NoEnclosure, precision
from solvers.exact_linalg import diagonal, identity, to_arb_mat
from solvers.linear_networks import (
    Task,
    Weights,
    aligned_values,
    balanced,
    balanced_values,
    blocks,
    cayley,
    closed_form,
    coupling,
    flow_series,
    integrated_exponential,
    jacobian,
    kernel_distance,
    limit,
    loss,
    riccati,
    riccati_of_gram,
    riccati_series,
    starting_matrices,
    tangent_kernel,
)

SHAPES = [(2, 2, 2), (3, 2, 2), (2, 2, 3), (1, 1, 3)]
BALANCES = [fmpq(-3), fmpq(0), fmpq(1, 2), fmpq(2)]


def rotation(n: int, rng: random.Random) -> fmpq_mat:
    return cayley(fmpq_mat(n, n, [fmpq(rng.randint(-3, 3), 2) for _ in range(n * n)]))


def drawn(shape: tuple[int, int, int], lam: fmpq, seed: int = 0) -> tuple[Weights, Task]:
    rng = random.Random(seed)
    n_i, n_h, n_o = shape
    k = [fmpq(rng.randint(8, 30), 10) for _ in range(n_h)]
    weights = balanced(rotation(n_h, rng), rotation(n_i, rng), rotation(n_o, rng), k, lam)
    s = tuple(fmpq(j, 10) for j in rng.sample(range(4, 20), n_h))
    return weights, Task(rotation(n_i, rng), rotation(n_o, rng), s)


def floats(M: fmpq_mat | arb_mat) -> np.ndarray:
    return np.array(
        [[float(x.mid()) if isinstance(x, arb) else int(x.p) / int(x.q) for x in row] for row in M.tolist()]
    )


def integrated(weights: Weights, Sigma: fmpq_mat, t: float) -> np.ndarray:
    """Oracle: Q Q^T from the gradient flow by SciPy's DOP853."""
    from scipy.integrate import solve_ivp

    W1, W2, S = floats(weights.W1), floats(weights.W2), floats(Sigma)

    def field(_: float, x: np.ndarray) -> np.ndarray:
        a, b = x[: W1.size].reshape(W1.shape), x[W1.size :].reshape(W2.shape)
        E = S - b @ a
        return np.concatenate([(b.T @ E).ravel(), (E @ a.T).ravel()])

    x = solve_ivp(field, (0, t), np.concatenate([W1.ravel(), W2.ravel()]), method="DOP853", rtol=1e-12, atol=1e-13)
    a, b = x.y[: W1.size, -1].reshape(W1.shape), x.y[W1.size :, -1].reshape(W2.shape)
    Q = np.vstack([a.T, b])
    return Q @ Q.T


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_cayley_matrices_are_rotations(n: int) -> None:
    O = rotation(n, random.Random(n))
    assert O * O.transpose() == identity(n)
    assert O.det() == 1


@pytest.mark.parametrize("lam", BALANCES)
def test_balanced_values_have_the_balance(lam: fmpq) -> None:
    a, b = balanced_values(fmpq(7, 5), lam)
    assert b * b - a * a == lam


@pytest.mark.parametrize(("shape", "lam"), list(product(SHAPES, BALANCES)))
def test_weights_are_balanced_exactly(shape: tuple[int, int, int], lam: fmpq) -> None:
    W1, W2 = drawn(shape, lam)[0]
    assert W2.transpose() * W2 - W1 * W1.transpose() == identity(shape[1]) * lam


@pytest.mark.parametrize("sigma", [fmpq(0), fmpq(3, 2), fmpq(-2)])
@pytest.mark.parametrize("lam", [fmpq(0), fmpq(1, 10**9), fmpq(-(10**9)), fmpq(2)])
def test_aligned_values_solve_their_equations(sigma: fmpq, lam: fmpq) -> None:
    with precision(200):
        a, b = aligned_values(sigma, lam)
        assert a >= 0
        assert (a * b - sigma).contains(0)
        assert (b * b - a * a - lam).contains(0)
        assert (a * b - sigma).rad() < arb(2) ** -150


@pytest.mark.parametrize(("shape", "lam"), list(product(SHAPES, BALANCES)))
def test_power_series_of_the_flow_is_that_of_the_riccati_form(shape: tuple[int, int, int], lam: fmpq) -> None:
    weights, task = drawn(shape, lam)
    assert flow_series(weights, task.Sigma, 6) == riccati_series(weights.stacked, coupling(task.Sigma, lam), 6)


def test_integrated_exponential_of_a_singular_matrix() -> None:
    """Oracle: for F = diag(0, 1) the integral of e^{2Fs} is diag(t, (e^{2t} - 1)/2)."""
    with precision(100):
        E, N = integrated_exponential(diagonal([0, 1]), fmpq(1, 2))
        assert (E[1, 1] - arb(fmpq(1, 2)).exp()).contains(0)
        assert (N[0, 0] - fmpq(1, 2)).contains(0)
        assert (N[1, 1] - (arb(1).exp() - 1) / 2).contains(0)
        assert N[0, 1].contains(0)


@pytest.mark.parametrize(("shape", "lam"), list(product(SHAPES, BALANCES)))
def test_all_forms_agree_with_numerical_integration(shape: tuple[int, int, int], lam: fmpq) -> None:
    weights, task = drawn(shape, lam, seed=5)
    t, F = fmpq(3, 4), coupling(task.Sigma, lam)
    with precision(300):
        Q = weights.stacked
        forms = [
            closed_form(weights, task, lam, t),
            riccati(Q, F, t),
            riccati_of_gram(Q * Q.transpose(), F, t),
        ]
        for M in forms[1:]:
            assert all(x.contains(0) and x.rad() < arb(10) ** -60 for x in (forms[0] - M).entries())
        expected = integrated(weights, task.Sigma, 0.75)
        assert np.abs(floats(forms[0]) - expected).max() < 1e-9


@pytest.mark.parametrize(("shape", "lam"), list(product(SHAPES, BALANCES)))
def test_closed_form_for_ever_holds_the_limit_and_later_values(shape: tuple[int, int, int], lam: fmpq) -> None:
    weights, task = drawn(shape, lam, seed=2)
    n_i = shape[0]
    with precision(300):
        ever = closed_form(weights, task, lam, 40, forever=True)
        later = closed_form(weights, task, lam, 55)
        assert all(a.contains(b) for a, b in zip(ever.entries(), later.entries()))
        for a, b in zip(blocks(ever, n_i), limit(task, lam)):
            assert all(x.contains(0) for x in (a - b).entries())


def test_closed_form_refuses_a_singular_B() -> None:
    """A 0-balanced mode that has learned the opposite sign stays at the saddle: B = 0."""
    one = fmpq_mat(1, 1, [1])
    weights = Weights(one, one * -1)
    assert starting_matrices(weights, Task(one, one, (fmpq(1),)), 0)[0][0, 0] == 0
    with pytest.raises(NoEnclosure):
        closed_form(weights, Task(one, one, (fmpq(1),)), 0, 1)


@pytest.mark.parametrize("lam", [fmpq(10) ** 12, -(fmpq(10) ** 12)])
def test_limit_does_not_cancel_for_large_balance(lam: fmpq) -> None:
    """Oracle: S_lambda - |lambda|/2 = s^2/|lambda| (1 + O(lambda^-2)), to 24 digits."""
    _, task = drawn((2, 2, 2), fmpq(2))
    with precision(64):
        small = limit(task, lam).inputs if lam > 0 else limit(task, lam).outputs
        base = task.right if lam > 0 else task.left
        expected = to_arb_mat(base * diagonal([s * s for s in task.s]) * base.transpose())
        assert all(abs(x) < arb(10) ** -15 for x in (small * abs(arb(lam)) - expected).entries())


def test_loss_of_the_zero_network_is_half_the_squared_norm() -> None:
    assert loss(fmpq_mat(2, 2), fmpq_mat(2, 2, [1, 2, 3, 4])) == 15


@pytest.mark.parametrize("shape", [(2, 2, 2), (3, 2, 2), (2, 3, 4)])
def test_tangent_kernel_is_the_gram_matrix_of_the_jacobian(shape: tuple[int, int, int]) -> None:
    n_i, n_h, n_o = shape
    rng = random.Random(3)
    W1, W2 = (fmpq_mat(r, c, [rng.randint(-5, 5) for _ in range(r * c)]) for r, c in ((n_h, n_i), (n_o, n_h)))
    J = jacobian(Weights(W1, W2))
    assert J * J.transpose() == tangent_kernel(W1.transpose() * W1, W2 * W2.transpose())


def test_jacobian_agrees_with_differences() -> None:
    """Oracle: W2 W1 is bilinear, so that central differences of size 1 are exact."""
    rng = random.Random(4)
    W1, W2 = (fmpq_mat(r, c, [rng.randint(-5, 5) for _ in range(r * c)]) for r, c in ((2, 3), (2, 2)))
    J = jacobian(Weights(W1, W2)).tolist()
    place = 0
    for M, name in ((W1, "first"), (W2, "second")):
        for i, j in product(range(M.nrows()), range(M.ncols())):
            up, down = fmpq_mat(M), fmpq_mat(M)
            up[i, j] += 1
            down[i, j] -= 1
            change = (W2 * up - W2 * down if name == "first" else up * W1 - down * W1) / 2
            assert [row[place] for row in J] == change.entries()
            place += 1


def test_kernel_distance_is_one_minus_the_cosine() -> None:
    """Oracle: NumPy's Kronecker products."""
    with precision(100):
        first = limit(drawn((3, 2, 2), fmpq(2), 1)[1], 2)
        second = limit(drawn((3, 2, 2), fmpq(2), 2)[1], -1)
        value = float(kernel_distance(first, second).mid())
    K, L = (np.kron(np.eye(2), floats(b.inputs)) + np.kron(floats(b.outputs), np.eye(3)) for b in (first, second))
    assert abs(value - (1 - (K * L).sum() / np.linalg.norm(K) / np.linalg.norm(L))) < 1e-14
