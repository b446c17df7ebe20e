"""A linear encoder trained on a mixture with unpaired texts: the excess risk, exactly."""

from __future__ import annotations

from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat

from solvers.exact_linalg import inverse
from theorems import Arrays, Booleans, Choices, Given, Integers, Q, eq, lt
from theorems.papers.modality_synergy.mixtures import ONE
from theorems.papers.modality_synergy.paper import PAPER


def with_ones(X: Any, intercept: bool) -> fmpz_mat:
    """The design, its first column replaced by ones if asked."""
    return fmpz_mat(
        X.nrows(),
        X.ncols(),
        [1 if intercept and j == 0 else int(X[i, j]) for i in range(X.nrows()) for j in range(X.ncols())],
    )


LARGE = Q(87, 100)
DESIGNS = PAPER.family(
    "designs",
    n=Integers(4, 8),
    p=Given(lambda n: Integers(1, min(3, n - 1))),
    D=Integers(1, 2),
    raw=Given(lambda n, p: Arrays(Integers(-3, 3), (n, p))),
    intercept=Booleans(),
    X=Given(lambda raw, intercept: with_ones(raw, intercept)),
    W=Given(lambda p, D: Arrays(Integers(-3, 3), (p, D))),
    text=Given(lambda D: Arrays(Integers(-3, 3), (D,))),
    s=Choices(Q(1), Q(3, 10), Q(3, 2)),
    st=Choices(Q(7, 10), Q(0), Q(3, 2)),
    where=lambda X: X.rank() == X.ncols(),
    accept=0.3,
    quick=12,
    full=200,
)


class Trained:
    """Least squares on the targets (1 - lam)(XW + s noise) + lam (1 t^T + s_t text noise)."""

    def __init__(self, X: Any, W: Any, text: Any, s: fmpq, st: fmpq) -> None:
        design = fmpq_mat(X)
        self.n, self.D, self.s, self.st = X.nrows(), W.ncols(), s, st
        self.signal = design * fmpq_mat(W)
        self.hat = design * inverse(design.transpose() * design) * design.transpose()
        self.texts = fmpq_mat(self.n, self.D, [fmpq(text[d]) for _ in range(self.n) for d in range(self.D)])

    def loss(self, lam: fmpq, noise: fmpq_mat | None = None, text_noise: fmpq_mat | None = None) -> fmpq:
        """The excess squared error over n of the encoder that is fitted to one draw of the noise."""
        visual = self.signal if noise is None else self.signal + noise * self.s
        texts = self.texts if text_noise is None else self.texts + text_noise * self.st
        error = self.hat * (visual * (1 - lam) + texts * lam) - self.signal
        return square(error) / self.n

    def risk(self, lam: fmpq) -> fmpq:
        """The expected loss, exactly.

        The loss is quadratic in the noise, whose coordinates are uncorrelated with mean 0 and variance 1: the
        expectation is the noiseless loss plus the sum over coordinates of its half second differences.
        """
        still = self.loss(lam)
        total = still
        for i in range(self.n):
            for d in range(self.D):
                e = fmpq_mat(self.n, self.D)
                e[i, d] = 1
                total += (self.loss(lam, e) + self.loss(lam, -e)) / 2 - still
                total += (self.loss(lam, None, e) + self.loss(lam, None, -e)) / 2 - still
        return total


def square(A: fmpq_mat) -> fmpq:
    """The squared Frobenius norm."""
    return sum((v * v for v in A.entries()), fmpq(0))


@PAPER.identity(
    source="the training loop of the paper, for a linear encoder; risk derived",
    fidelity="derived",
    evidence="certified",
    family=DESIGNS,
    method="the expectation over the noise from exact second differences of the fitted encoder's loss, coordinate by coordinate: "
    "for every noise with uncorrelated coordinates; designs with and without a column of ones, and the degenerate text noise 0",
    hypotheses="fixed design of full column rank; visual noise s > 0 and text noise s_t >= 0 per coordinate, uncorrelated, mean 0",
    not_established="whether lam = 1 is worse than lam = 0 in general: it depends on the instance (on the fixed design every lam >= 0.87 is)",
)
def unpaired_regression_risk(X, W, text, s, st, *, text_noise=True, projected=True, slope=ONE, reach=ONE):
    r"""Let a linear encoder be fitted by least squares to $(1-\lambda) r_V + \lambda t$, with $r_V = XW + $ noise of standard deviation $s$, unpaired
    texts $t$ of mean $t_m$ and standard deviation $s_t$ per coordinate, hat matrix $H$, $p$ columns and $D$ outputs. Its excess risk is
    $$R(\lambda) = \tfrac1n \big\|H((1-\lambda) XW + \lambda \mathbf{1} t_m^\top) - XW\big\|_F^2 + \tfrac{Dp}{n}\big((1-\lambda)^2 s^2 + \lambda^2 s_t^2\big),$$
    and $R'(0) = -2 s^2 D p/n < 0$: for every distribution of texts, $R(\lambda) < R(0)$ on the window
    $0 < \lambda < \frac{2 s^2 D p}{n K}$, where $K = \frac12 R''$.
    """
    model = Trained(X, W, text, s, st)
    n, p, D = model.n, X.ncols(), model.D
    risks = {lam: model.risk(lam) for lam in (Q(0), Q(1, 2), ONE)}
    for lam, risk in risks.items():
        texts = model.hat * model.texts if projected else model.texts
        bias = square(model.hat * model.signal * (1 - lam) + texts * lam - model.signal) / n
        spread = (1 - lam) ** 2 * s**2 + (lam**2 * st**2 if text_noise else 0)
        yield "risk", eq(risk, bias + fmpq(D * p, n) * spread)
    start, middle, end = risks.values()
    derivative = 4 * middle - 3 * start - end  # of the quadratic through three values
    yield "derivative at 0", eq(derivative, -2 * slope * s**2 * fmpq(D * p, n))
    K = 2 * (start + end - 2 * middle)
    edge = 2 * s**2 * fmpq(D * p, n) / K
    for share in (Q(1, 2), Q(99, 100)):
        yield "a small weight improves", lt(model.risk(edge * share * reach), start)


@unpaired_regression_risk.check("fixed design", domain={"s": Choices(Q(1)), "st": Choices(Q(7, 10))}, every=True)
def _fixed_design(s, st, *, weight=LARGE):
    """Twelve samples, columns 1, cos and sin of i quarter turns, (-1)^i: orthogonal, so any other frequency has the same risk."""
    turn = ((1, 0), (0, 1), (-1, 0), (0, -1))
    X = fmpz_mat([[1, *turn[i % 4], (-1) ** i] for i in range(12)])
    W = fmpq_mat([[Q(1, 5), -Q(1, 10)], [Q(1, 2), Q(3, 10)], [-Q(2, 5), Q(3, 5)], [Q(3, 10), Q(1, 10)]])
    model = Trained(X, W, (Q(3, 10), -Q(1, 5)), s, st)
    yield (
        "a large weight does harm",
        lt(model.risk(Q(0)), model.risk(weight)),
    )  # and so does every larger one: R is convex


unpaired_regression_risk.mutant("text noise left out", text_noise=False, breaks="risk")
unpaired_regression_risk.mutant("hat matrix left out on the mean text", projected=False, breaks="risk")
unpaired_regression_risk.mutant("R'(0) = 0", slope=Q(0), breaks="derivative at 0", anywhere=True)
unpaired_regression_risk.mutant("R'(0) = -s^2 D p / n", slope=Q(1, 2), breaks="derivative at 0", anywhere=True)
unpaired_regression_risk.mutant("R'(0) 5 % smaller", slope=Q(19, 20), breaks="derivative at 0", anywhere=True)
unpaired_regression_risk.mutant("the window 5 % wider", reach=Q(21, 20), breaks="a small weight improves")
unpaired_regression_risk.mutant("a weight of 0.86 does harm too", weight=Q(43, 50), breaks="a large weight does harm")
