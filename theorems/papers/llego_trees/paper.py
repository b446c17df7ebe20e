"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="llego_trees",
    title="Decision Tree Induction Through LLMs via Semantically-Aware Evolution",
    authors=("Tennison Liu", "Nicolas Huynh", "Mihaela van der Schaar"),
    venue="ICLR 2025",
    arxiv="2503.14217",
)
