"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="hierarchical_polynomials",
    title="Learning Hierarchical Polynomials of Multiple Nonlinear Features with Three-Layer Networks",
    authors=("Hengyu Fu", "Zihao Wang", "Eshaan Nichani", "Jason D. Lee"),
    venue="ICLR 2025",
    arxiv="2411.17201",
)
