"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="local_adaptive",
    title="Convergence of Distributed Adaptive Optimization with Local Updates",
    authors=("Ziheng Cheng", "Margalit Glasgow"),
    venue="ICLR 2025",
    arxiv="2409.13155",
)
