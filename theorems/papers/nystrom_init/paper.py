"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="nystrom_init",
    title="On the Crucial Role of Initialization for Matrix Factorization",
    authors=("Bingcong Li", "Liang Zhang", "Aryan Mokhtari", "Niao He"),
    venue="ICLR 2025",
    arxiv="2410.18965",
)
