"""What a proof by Batfish takes, said before it begins."""

from __future__ import annotations

from fabric.core.counts import counted

#: Batfish 0.36 on two cores, measured with 8 and 512 NICs: seconds to start, for each
#: 1,000 NICs, and for each failure the share of a whole proof.
_START_S, _PER_1000_NICS_S, _FAILURE_SHARE = 10.0, 60.0, 0.4

#: Heap of Java in GB: 2 GB carried 512 NICs; the share of each NIC is our choice.
_HEAP_GB, _HEAP_PER_1000_NICS_GB = 1.0, 2.0


def effort(switches: int, nics: int, failures: int) -> str:
    """Return about how long a proof takes, and the heap that the service needs."""
    whole = _START_S + nics / 1000 * _PER_1000_NICS_S
    seconds = whole * (1 + failures * _FAILURE_SHARE)
    time = f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} minutes"  # noqa: PLR2004
    heap = _HEAP_GB + nics / 1000 * _HEAP_PER_1000_NICS_GB
    tried = f", {counted(failures, 'failure')}" if failures else ""
    return (
        f"Batfish: {counted(switches, 'switch')}, {counted(nics, 'NIC')}{tried}: about {time}, "
        f"with {heap:.0f} GB of heap at the service"
    )
