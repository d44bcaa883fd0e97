"""``python -m fabric`` is the command line."""

import sys

from fabric.cli import process

sys.exit(process())
