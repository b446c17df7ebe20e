"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="weak_to_strong",
    title="Provable Weak-to-Strong Generalization via Benign Overfitting",
    authors=("David X. Wu", "Anant Sahai"),
    venue="ICLR 2025",
    arxiv="2410.04638",
)
