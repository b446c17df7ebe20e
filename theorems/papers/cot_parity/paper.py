"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="cot_parity",
    title="From Sparse Dependence to Sparse Attention: Unveiling How Chain-of-Thought Enhances Transformer Sample Efficiency",
    authors=("Kaiyue Wen", "Huaqing Zhang", "Hongzhou Lin", "Jingzhao Zhang"),
    venue="ICLR 2025",
    arxiv="2410.05459",
)
