"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="modality_synergy",
    title="Can One Modality Model Synergize Training of Other Modality Models?",
    authors=("Jae-Jun Lee", "Sung Whan Yoon"),
    venue="ICLR 2025",
)
