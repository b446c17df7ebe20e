"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="benign_ood",
    title="Benign Overfitting in Out-of-Distribution Generalization of Linear Models",
    authors=("Shange Tang", "Jiayun Wu", "Jianqing Fan", "Chi Jin"),
    venue="ICLR 2025",
    arxiv="2412.14474",
)
