"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="augmented_kmeans",
    title="New Algorithms for the Learning-Augmented k-means and k-medians Clustering",
    authors=("Junyu Huang", "Qilong Feng", "et al."),
    venue="ICLR 2025",
)
