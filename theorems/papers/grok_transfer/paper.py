"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="grok_transfer",
    title="Let Me Grok for You: Accelerating Grokking via Embedding Transfer from a Weaker Model",
    authors=("Zhiwei Xu", "Zhiyu Ni", "Yixin Wang", "Wei Hu"),
    venue="ICLR 2025",
    arxiv="2504.13292",
)
