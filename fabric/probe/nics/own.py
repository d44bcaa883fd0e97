"""What the script on a host tells that no other check does (H17).

The script compares marking of RDMA-CM, storm time, PCIe, processor and the units that set a NIC
again; the rest of what it says was read by the other checks too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.probe.nics import Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.probe.nics import Looked

_HOST = "host"


def own_remarks(looked: Looked, found: Sequence[Remark]) -> list[Remark]:
    """Return what the script says of a NIC of which the other checks said nothing.

    What it says of the whole host is told at its first NIC.
    """
    check, interface = looked.facts.own_check, looked.plan.interface
    first = next(nic.interface for nic in looked.host.nics if nic.enabled)
    subjects = {interface} - ({interface} if found else set())
    subjects |= {_HOST} if interface == first else set()
    if check is None:
        message = "the script check.sh on the host could not run"
        return [Remark("H17", message, unknown=True)] if interface == first else []
    return [Remark("H17", text) for subject, text in check.apart if subject in subjects]
