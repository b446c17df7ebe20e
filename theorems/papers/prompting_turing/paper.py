"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="prompting_turing",
    title="Ask, and it shall be given: On the Turing completeness of prompting",
    authors=("Ruizhong Qiu", "Zhe Xu", "Wenxuan Bao", "Hanghang Tong"),
    venue="ICLR 2025",
    arxiv="2411.01992",
)
