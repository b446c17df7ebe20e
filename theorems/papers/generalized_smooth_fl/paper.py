"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="generalized_smooth_fl",
    title="Methods with Local Steps and Random Reshuffling for Generally Smooth Non-Convex Federated Optimization",
    authors=(
        "Yury Demidovich",
        "Petr Ostroukhov",
        "Grigory Malinovsky",
        "Samuel Horváth",
        "Martin Takáč",
        "Peter Richtárik",
        "Eduard Gorbunov",
    ),
    venue="ICLR 2025",
    arxiv="2412.02781",
)
