"""``python -m fabric`` is the command line."""

import sys

from fabric.cli import main

sys.exit(main())
