"""The sampler on the line for targets that are not Gaussian: densities of Y_t, by quadrature at two resolutions."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from solvers.density_chain import Lattice, Step, total_variation, variation, windows
from solvers.mixtures import Mixture, mixture
from theorems import Approx
from theorems.papers.ddpm_rate.targets import TARGETS, Floats, Target, times

FINE, COARSE = 0.65, 0.8  # spacings of the two resolutions, in units of the one that should leave errors of about SMALL
SMALL = 1e-11
ROUNDING = 1e-11
ScoreError = Callable[[Floats, Floats, float, float], Floats]  # (x, exact score, abar_t, 1 - abar_t) -> e_t(x)


@dataclass(frozen=True)
class Wrong:
    """What may be wrong with the sampler: factors of the drift and of the noise variance."""

    drift: float = 1.0
    noise: float = 1.0


RIGHT = Wrong()


def lattice(law: Mixture, beta: float, spacing: float) -> Lattice:
    """Points for the density of X_t or Y_t, dense enough for the next step.

    In x the kernel of the step has the width sqrt(beta)/m'(x), m the mean of the step; with the width of the density this makes w(x). The
    sum over a lattice of spacing h errs by about p(x) exp(-2 pi^2 w^2/h^2) there: h makes this SMALL everywhere.
    """
    sd = np.sqrt(law.variances)
    rough = windows(law.means, sd, float(sd.min()) / 4, reach=9.0).x
    slope = law.score_and_slope(rough)[1]
    width = 1 / np.sqrt((1 + beta * slope) ** 2 / beta + 1 / sd.min() ** 2)
    weight = np.log(np.maximum(law.density(rough) * sd.min() / SMALL, math.e))
    h = float((width * math.pi * np.sqrt(2 / weight)).min())
    return windows(law.means, sd, spacing * min(h, float(sd.min()) / 2))


@dataclass(frozen=True)
class Chain:
    """A target with its schedule of T steps.

    Attributes:
        target, T: as given.
        spacing: of the lattices, in the unit of `lattice`.
        wrong: mistakes of the sampler.
        error: of the scores.
    """

    target: Target
    T: int
    spacing: float
    wrong: Wrong = RIGHT
    error: ScoreError | None = None

    def at(self, t: int) -> tuple[float, float, float]:
        """beta_t, abar_t and 1 - abar_t."""
        schedule = times(self.T, self.target.c0, self.target.c1)
        return float(schedule.beta[t - 1]), float(schedule.abar[t - 1]), float(schedule.left[t - 1])

    def law(self, t: int) -> Mixture:
        """The law of X_t."""
        return self.target.at(*self.at(t)[1:])

    def grid(self, t: int) -> Lattice:
        """Points for the densities at time t."""
        return lattice(self.law(t), self.at(t)[0], self.spacing)

    def step(self, t: int, grid: Lattice, p: Floats) -> Step:
        """The reverse step t -> t - 1 from a density p on a lattice."""
        beta, abar, left = self.at(t)
        x, score = grid.x, self.law(t).score(grid.x)
        if self.error is not None:
            score = score + self.error(x, score, abar, left)
        return Step(
            grid.h * p,
            (x + self.wrong.drift * beta * score) / math.sqrt(1 - beta),
            self.wrong.noise * beta / (1 - beta),
        )

    def start(self) -> tuple[Lattice, Floats]:
        """The density of Y_T ~ N(0, 1)."""
        law = self.law(self.T)
        grid = windows([*law.means, 0.0], [*np.sqrt(law.variances), 1.0], self.grid(self.T).h)
        return grid, np.exp(-(grid.x**2) / 2) / math.sqrt(2 * math.pi)


@dataclass(frozen=True)
class Sampled:
    """What a run of the sampler ends in: TV(p_{X_1}, p_{Y_1}), and the mass that was lost on the way."""

    tv: float
    defect: float


def run(chain: Chain) -> Iterator[tuple[Lattice, Floats, Step | None]]:
    """Lattice and density of Y_T, ..., Y_1, each with the step that led there."""
    grid, p = chain.start()
    yield grid, p, None
    for t in range(chain.T, 1, -1):
        step = chain.step(t, grid, p)
        grid = chain.grid(t - 1)
        p = step.pushed(grid)
        yield grid, p, step


def finished(chain: Chain, grid: Lattice, p: Floats, step: Step | None) -> Sampled:
    """What is measured at the end of a run."""
    if step is None:
        raise ValueError(f"a chain of T = {chain.T} steps has no reverse step; at least 2 are expected")
    law = chain.law(1)
    return Sampled(total_variation(step, law.density, law.distribution, grid), abs(1 - grid.h * float(p.sum())))


@lru_cache(maxsize=1024)
def sampled(chain: Chain) -> Sampled:
    """The end of the whole chain at one resolution."""
    *_, last = run(chain)
    return finished(chain, *last)


@lru_cache(maxsize=4)
def path(chain: Chain) -> tuple[tuple[Lattice, Floats, Step | None], ...]:
    """The whole run."""
    return tuple(run(chain))


def two_resolutions(T: int, name: str, wrong: Wrong = RIGHT, error: ScoreError | None = None) -> tuple[Chain, Chain]:
    """The chain of a named target, fine and coarse."""
    target = TARGETS[name]
    return Chain(target, T, FINE, wrong, error), Chain(target, T, COARSE, wrong, error)


def sampling_error(T: int, name: str, wrong: Wrong = RIGHT, error: ScoreError | None = None) -> Approx:
    """TV(p_{X_1}, p_{Y_1}) for a named target; its stated error is the difference of two resolutions and the lost mass."""
    return compared(*map(sampled, two_resolutions(T, name, wrong, error)))


def compared(fine: Sampled, coarse: Sampled) -> Approx:
    """Two resolutions as a value with a stated error."""
    return Approx(fine.tv, abs(fine.tv - coarse.tv) + fine.defect + ROUNDING)


def one_step_error(chain: Chain, t: int) -> float:
    """TV between p_{X_{t-1}} and the law of one reverse step from the exact p_{X_t}."""
    grid = chain.grid(t)
    law = chain.law(t - 1)
    return total_variation(
        chain.step(t, grid, chain.law(t).density(grid.x)), law.density, law.distribution, chain.grid(t - 1)
    )


def start_error(chain: Chain) -> float:
    """TV(p_{X_T}, N(0, 1))."""
    law, normal = chain.law(chain.T), mixture([0.0], [1.0], [1.0])
    return variation(
        lambda x: law.density(x) - normal.density(x),
        lambda x: law.distribution(x) - normal.distribution(x),
        chain.start()[0].x,
    )


def expectations(chain: Chain, f: Callable[[Floats, int], Floats]) -> tuple[Floats, Floats]:
    """E f(X_t) and E f(Y_t) for t = 1, ..., T, Y the run of the chain."""
    of_X, of_Y = [], []
    for t, (grid, p, _) in zip(range(chain.T, 0, -1), path(chain)):
        values = f(grid.x, t)
        of_X.append(grid.h * float(values @ chain.law(t).density(grid.x)))
        of_Y.append(grid.h * float(values @ p))
    return np.array(of_X[::-1]), np.array(of_Y[::-1])
