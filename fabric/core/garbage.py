"""The garbage collector of a process that makes millions of objects without cycles."""

from __future__ import annotations

import gc

#: Objects between two runs of the garbage collector; our choice: the modules and designs of a small
#: change are 130,000, the files and folders of 131,072 NICs 300,000. Python's own is 700 to 2,000.
_ALLOCATIONS = 500_000


def collect_rarely() -> None:
    """Let the garbage collector look less often.

    Modules and designs hold few cycles; by its usual thresholds a fifth of the time goes into
    looking for some.
    """
    gc.set_threshold(_ALLOCATIONS, 20, 50)


def collect_no_more() -> None:
    """Let the garbage collector pass over everything that is left when the process ends."""
    gc.freeze()
