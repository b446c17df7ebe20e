"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="mask_mirror",
    title="Mask in the Mirror: Implicit Sparsification",
    authors=("Tom Jacobs", "Rebekka Burkholz"),
    venue="ICLR 2025",
    arxiv="2408.09966",
)
