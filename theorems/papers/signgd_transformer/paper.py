"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="signgd_transformer",
    title="On the Optimization and Generalization of Two-layer Transformers with Sign Gradient Descent",
    authors=("Bingrui Li", "Wei Huang", "Andi Han", "Zhanpeng Zhou", "Taiji Suzuki", "Jun Zhu", "Jianfei Chen"),
    venue="ICLR 2025",
    arxiv="2410.04870",
)
