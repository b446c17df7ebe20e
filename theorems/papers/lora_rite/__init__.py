r"""LoRA-RITE: an optimiser of low-rank factors whose product does not depend on how it was factored.

$Z = AB^\top$ with $A \in \mathbb{R}^{m \times r}$, $B \in \mathbb{R}^{n \times r}$ of full column rank. An optimiser is *transformation invariant* if from
$(AR, BR^{-\top})$ it produces the same $Z_t$ as from $(A, B)$, for every $R \in GL(r)$. LoRA-RITE rotates gradients into an orthonormal basis of the other
factor, transports its moments between bases, and adds the escaped mass to the second moment.
"""

from theorems.papers.lora_rite.cost import linear_cost
from theorems.papers.lora_rite.invariance import efficient_feature_learning, transformation_invariance
from theorems.papers.lora_rite.others import standard_optimizers_not_invariant
from theorems.papers.lora_rite.paper import PAPER
from theorems.papers.lora_rite.regret import escaped_mass_monotone, trace_regret_bound

__all__ = [
    "PAPER",
    "efficient_feature_learning",
    "escaped_mass_monotone",
    "linear_cost",
    "standard_optimizers_not_invariant",
    "trace_regret_bound",
    "transformation_invariance",
]
