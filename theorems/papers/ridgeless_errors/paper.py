"""The paper itself; its claims are in the other files of this folder."""

from theorems import Paper

PAPER = Paper(
    key="ridgeless_errors",
    title="Prediction Risk and Estimation Risk of the Ridgeless Least Squares Estimator under General Assumptions on "
    "Regression Errors",
    authors=("Sungyoon Lee", "Sokbae Lee"),
    venue="ICLR 2025",
    arxiv="2305.12883",
)
