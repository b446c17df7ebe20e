"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="moe_continual",
    title="Theory on Mixture-of-Experts in Continual Learning",
    authors=("Hongbo Li", "Sen Lin", "Lingjie Duan", "Yingbin Liang", "Ness B. Shroff"),
    venue="ICLR 2025",
    arxiv="2406.16437",
)
