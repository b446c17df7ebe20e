"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="weak_minty",
    title="Efficient Interpolation between Extragradient and Proximal Methods for Weak MVIs",
    authors=("Thomas Pethick", "Ioannis Mavrothalassitis", "Volkan Cevher"),
    venue="ICLR 2025",
)
