"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="fair_submodular_cover",
    title="Fair Submodular Cover",
    authors=("Wenjing Chen", "Shuo Xing", "Samson Zhou", "Victoria G. Crawford"),
    venue="ICLR 2025",
    arxiv="2407.04804",
)
