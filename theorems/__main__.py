"""`python -m theorems`: where to go."""

import sys

print("python -m theorems.report checks claims; python -m theorems.verify re-checks certificate files (--help: how)")
sys.exit(2)
