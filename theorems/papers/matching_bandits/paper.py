"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="matching_bandits",
    title="Bandit Learning in Matching Markets with Indifference",
    authors=("Fang Kong et al.",),
    venue="ICLR 2025",
)
