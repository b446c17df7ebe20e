"""`python -m theorems.report`."""

import sys

from theorems.report.cli import main

sys.exit(main())
