"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="truncated_samples",
    title="Oracle Efficient Truncated Statistics",
    authors=("Konstantinos Karatapanis", "Vasilis Kontonis", "Christos Tzamos"),
    venue="ICLR 2025",
)
