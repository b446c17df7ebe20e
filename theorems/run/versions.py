"""Versions of what results depend on."""

from __future__ import annotations

import importlib.metadata
import platform

_VERSIONED = ("theorems", "python-flint", "sympy", "mpmath", "numpy", "scipy", "cvxpy", "clarabel", "highspy")


def versions() -> dict[str, str]:
    """Versions of Python and the libraries that results depend on."""
    found = {"python": platform.python_version()}
    for name in _VERSIONED:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found
