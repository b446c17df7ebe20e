"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="sketching_sro",
    title="Sketching for Convex and Nonconvex Regularized Least Squares with Sharp Guarantees",
    authors=("Yingzhen Yang", "Ping Li"),
    venue="ICLR 2025",
    arxiv="2311.01806",
)
