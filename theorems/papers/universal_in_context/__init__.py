"""x"""

from theorems.papers.universal_in_context import composition, laplace, lipschitz, statistics
from theorems.papers.universal_in_context.paper import PAPER

__all__ = ["PAPER", "composition", "laplace", "lipschitz", "statistics"]
