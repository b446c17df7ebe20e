"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="newton_marchenko_pastur",
    title="Newton Meets Marchenko-Pastur: Massively Parallel Second-Order Optimization with Hessian Sketching and Debiasing",
    authors=("Elad Romanov", "Fangzhao Zhang", "Mert Pilanci"),
    venue="ICLR 2025",
    arxiv="2410.01374",
)
