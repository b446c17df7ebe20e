"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="nesterov_benign",
    title="Nesterov acceleration in benignly non-convex landscapes",
    authors=("Kanan Gupta", "Stephan Wojtowytsch"),
    venue="ICLR 2025",
    arxiv="2410.08395",
)
