"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="ddpm_rate",
    title="O(d/T) Convergence Theory for Diffusion Probabilistic Models under Minimal Assumptions",
    authors=("Gen Li", "Yuling Yan"),
    venue="ICLR 2025; JMLR 26(292), 2025",
    arxiv="2409.18959",
)
