"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="neural_ode",
    title="Global Convergence in Neural ODEs: Impact of Activation Functions",
    authors=("Tianxiang Gao", "Siyuan Sun", "Hailiang Liu", "Hongyang Gao"),
    venue="ICLR 2025",
    arxiv="2509.22436",
)
