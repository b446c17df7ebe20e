"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="explainable_or",
    title="Decision Information Meets Large Language Models: The Future of Explainable Operations Research",
    authors=(
        "Yansen Zhang",
        "Qingcan Kang",
        "Wing Yin Yu",
        "Hailei Gong",
        "Xiaojin Fu",
        "Xiongwei Han",
        "Tao Zhong",
        "Chen Ma",
    ),
    venue="ICLR 2025",
    arxiv="2502.09994",
)
