"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="satisficing_select",
    title="Satisficing Regret Minimization in Bandits",
    authors=("Qing Feng", "Tianyi Ma", "Ruihao Zhu"),
    venue="ICLR 2025",
    arxiv="2406.06802",
)
