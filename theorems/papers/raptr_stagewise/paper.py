"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="raptr_stagewise",
    title="Efficient Stagewise Pretraining via Progressive Subnetworks",
    authors=(
        "Abhishek Panigrahi",
        "Nikunj Saunshi",
        "Kaifeng Lyu",
        "Sobhan Miryoosefi",
        "Sashank Reddi",
        "Satyen Kale",
        "Sanjiv Kumar",
    ),
    venue="ICLR 2025",
    arxiv="2402.05913",
)
