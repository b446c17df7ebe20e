"""Training in doubles down to kinks: L-BFGS on the smooth pieces, with neurons held on the hyperplanes where it stalls."""

from __future__ import annotations

import numpy as np

from solvers.certificates.relu import Neuron, network_value
from solvers.enclosures.exact import dyadic as binary
from solvers.relu.exact import of_problem

NEAR = 1e-3  # relative height below which a neuron is held on a sample's hyperplane
SLACK = 1e-7  # relative force that a held neuron bears
PUSH = 1e-2  # relative step off a hyperplane
ROUNDS = 60
PRECISE = {"maxiter": 4000, "maxfun": 8000, "ftol": 1e-16, "gtol": 1e-10}


def random_start(given, width, seed):
    """Normal weights (W row by row, then a), pseudo-random."""
    return np.random.default_rng(seed).normal(size=width * (len(given.X[0]) + 1))


def parts(theta, width):
    """W (width x d) and a."""
    d = len(theta) // width - 1
    return theta[: width * d].reshape(width, d), theta[width * d :]


def descend(given, theta, width, held=None, options=None):
    """The weights and the loss where L-BFGS stops.

    Args:
        given: the training problem.
        theta: the start.
        width: number of neurons.
        held: width x n booleans: neuron j stays on the hyperplane of sample k.
        options: of SciPy's L-BFGS-B.
    """
    from scipy.optimize import minimize

    data = of_problem(given)
    X, y, beta = data.X, data.y, data.beta
    free = np.ones((width, len(y)), bool) if held is None else ~held
    onto = None if held is None else np.array([_projector(X[rows]) for rows in held])

    def loss(theta):
        W, a = parts(theta, width)
        if onto is not None:
            W = np.einsum("jde,je->jd", onto, W)
        Z = X @ W.T
        on = (Z > 0) & free.T
        H = np.where(on, Z, 0.0)
        r = H @ a - y
        dW = (on * r[:, None] * a).T @ X + beta * W
        if onto is not None:
            dW = np.einsum("jde,je->jd", onto, dW)
        return r @ r / 2 + beta / 2 * ((W**2).sum() + a @ a), np.concatenate([dW.ravel(), H.T @ r + beta * a])

    run = minimize(loss, theta, jac=True, method="L-BFGS-B", options=options or {})
    W, a = parts(run.x, width)
    if onto is not None:
        W = np.einsum("jde,je->jd", onto, W)
    return np.concatenate([W.ravel(), a]), float(run.fun)


def _projector(rows):
    """Onto the directions orthogonal to some rows."""
    d = rows.shape[1]
    return np.eye(d) if not len(rows) else np.eye(d) - np.linalg.pinv(rows) @ rows


def kinks(given, theta, width):
    """Which neurons are almost on which hyperplanes: width x n booleans."""
    X = of_problem(given).X
    W, _ = parts(theta, width)
    sizes = np.linalg.norm(W, axis=1)[:, None] * np.linalg.norm(X, axis=1)[None]
    return (np.abs(W @ X.T) <= NEAR * sizes) & (sizes > 0)


def unwilling(given, theta, width, held):
    """The held pair (j, k) that most wants to leave its hyperplane, and to which side; None if all stay.

    At a kink neuron j needs X_A^T nu_A a + sum_k t_k a nu_k x_k = beta w_j with 0 <= t_k <= 1 and a nu_k <= 0 over its
    held samples k; otherwise the loss falls on one side.
    """
    data = of_problem(given)
    X, y, beta = data.X, data.y, data.beta
    W, a = parts(theta, width)
    on = (X @ W.T > 0) & ~held.T
    nu = y - np.where(on, X @ W.T, 0.0) @ a
    worst, found = SLACK, None
    for j in np.flatnonzero(held.any(axis=1)).tolist():
        rows = np.flatnonzero(held[j])
        rest = beta * W[j] - a[j] * (on[:, j] * nu) @ X
        multipliers = np.linalg.lstsq(X[rows].T, rest, rcond=None)[0]  # t_k a nu_k
        for k, m in zip(rows.tolist(), multipliers.tolist()):
            inward, outward = -m, m - a[j] * nu[k]  # both >= 0 at a stationary point
            wish = max(-inward, -outward) / (beta * float(np.linalg.norm(W[j])) + 1e-300)
            if wish > worst:
                worst, found = wish, (j, k, -1 if inward < outward else 1)
    return found


def settle(given, width, seed):
    """The weights of a network that training from a pseudo-random start leads to, kinks included.

    L-BFGS stalls where a neuron meets the hyperplane of a sample. The neuron is then held there while the others go
    on, until it would rather leave.
    """
    X = of_problem(given).X
    theta, _ = descend(given, random_start(given, width, seed), width, options=PRECISE)
    held = np.zeros((width, len(given.y)), bool)
    left = held.copy()
    for _ in range(ROUNDS):
        met = kinks(given, theta, width) & ~left & ~held
        if met.any():
            held |= met
        else:
            found = unwilling(given, theta, width, held)
            if found is None:
                return theta
            j, k, side = found
            held[j, k], left[j, k] = False, True
            d = X.shape[1]
            w = theta[j * d : (j + 1) * d]
            w += side * PUSH * np.linalg.norm(w) * (_projector(X[held[j]]) @ X[k]) / np.linalg.norm(X[k])
        theta, _ = descend(given, theta, width, held, PRECISE)
    return theta


def network(theta, width):
    """The neurons with the weights' exact binary values."""
    W, a = parts(theta, width)
    return [Neuron(tuple(binary(float(v)) for v in w), binary(float(s))) for w, s in zip(W, a)]


def exact_loss(given, theta, width):
    """The loss of a trained network, exact on its binary weights."""
    return network_value(given, network(theta, width))
