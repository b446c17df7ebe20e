r"""A weak model trained on parity of two coordinates in noise, and a target model that receives its input weights as an embedding.

$x = (x_{signal}, x_{noise})$, $x_{signal}$ uniform on $\{\pm 1\}^2$, $x_{noise}$ uniform on $\{\pm\varepsilon\}^{p-2}$, $y = x_1x_2$; $\mu_1 = (1, 1)$, $\mu_2 = (-1, 1)$. ReLU networks
without biases, exponential loss, gradient descent with weight decay. Three neurons reach accuracy $\frac34$ at most, but their input weights span the signal, and on
that embedding a wide network needs one step.
"""

from theorems.papers.grok_transfer.ceiling import one_dimensional_embedding_fails, three_neuron_ceiling
from theorems.papers.grok_transfer.concentration import embedding_concentration
from theorems.papers.grok_transfer.generalization import one_step_generalization
from theorems.papers.grok_transfer.norm_ratio import weak_norm_ratio
from theorems.papers.grok_transfer.paper import PAPER
from theorems.papers.grok_transfer.pipeline import transfer_pipeline
from theorems.papers.grok_transfer.scratch import scratch_delay

__all__ = [
    "PAPER",
    "embedding_concentration",
    "one_dimensional_embedding_fails",
    "one_step_generalization",
    "scratch_delay",
    "three_neuron_ceiling",
    "transfer_pipeline",
    "weak_norm_ratio",
]
