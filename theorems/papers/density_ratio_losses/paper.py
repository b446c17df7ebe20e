"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="density_ratio_losses",
    title="Binary Losses for Density Ratio Estimation",
    authors=("Werner Zellinger",),
    venue="ICLR 2025",
    arxiv="2407.01371",
)
