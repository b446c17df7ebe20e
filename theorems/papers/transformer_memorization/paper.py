"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="transformer_memorization",
    title="On the Optimal Memorization Capacity of Transformers",
    authors=("Tokio Kajitsuka", "Issei Sato"),
    venue="ICLR 2025",
    arxiv="2409.17677",
)
