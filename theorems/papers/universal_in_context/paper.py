"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="universal_in_context",
    title="Transformers are Universal In-context Learners",
    authors=("Takashi Furuya", "Maarten V. de Hoop", "Gabriel Peyré"),
    venue="ICLR 2025",
    arxiv="2408.01367",
)
