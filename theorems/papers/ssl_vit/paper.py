"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="ssl_vit",
    title="A Theoretical Analysis of Self-Supervised Learning for Vision Transformers",
    authors=("Yu Huang", "Zixin Wen", "Yuejie Chi", "Yingbin Liang"),
    venue="ICLR 2025",
    arxiv="2403.02233",
)
