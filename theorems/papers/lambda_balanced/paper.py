"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="lambda_balanced",
    title="From Lazy to Rich: Exact Learning Dynamics in Deep Linear Networks",
    authors=(
        "Clémentine C. J. Dominé",
        "Nicolas Anguita",
        "Alexandra M. Proca",
        "Lukas Braun",
        "Daniel Kunin",
        "Pedro A. M. Mediano",
        "Andrew M. Saxe",
    ),
    venue="ICLR 2025",
    arxiv="2409.14623",
)
