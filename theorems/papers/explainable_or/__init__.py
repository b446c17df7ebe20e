r"""What-if questions about linear programs, answered exactly: the size of an edit of a model, and its impact on the decision.

Models $M = (A, b, c, \text{types})$: minimise $c \cdot x$ subject to $Ax \ge b$, $x \ge 0$. The size of an edit is the graph edit distance between bipartite
graphs of variables and constraints; its impact is the change of the optimal value $v$ and of the optimal point. Instances are covering
programs ($A \ge 0$ without a zero row, $c \ge 1$), which are feasible and bounded. The language models are out of scope.
"""

from theorems.papers.explainable_or.edit_distance import model_graph_edit_distance
from theorems.papers.explainable_or.paper import PAPER
from theorems.papers.explainable_or.prices import impact_lipschitz, shadow_price_subgradient
from theorems.papers.explainable_or.ranging import coefficient_what_if, ranging_exact
from theorems.papers.explainable_or.rows import constraint_what_if

__all__ = [
    "PAPER",
    "coefficient_what_if",
    "constraint_what_if",
    "impact_lipschitz",
    "model_graph_edit_distance",
    "ranging_exact",
    "shadow_price_subgradient",
]
