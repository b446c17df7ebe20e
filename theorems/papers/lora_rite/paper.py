"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="lora_rite",
    title="LoRA Done RITE: Robust Invariant Transformation Equilibration for LoRA Optimization",
    authors=(
        "Jui-Nan Yen",
        "Si Si",
        "Zhao Meng",
        "Felix Yu",
        "Sai Surya Duvvuri",
        "Inderjit S. Dhillon",
        "Cho-Jui Hsieh",
        "Sanjiv Kumar",
    ),
    venue="ICLR 2025",
    arxiv="2410.20625",
)
