"""Releases of NCCL 2: from which on each variable is read, and which are left out on purpose.

Variables of NCCL that are left out on purpose, with the reason.

Defaults: NVIDIA/nccl 2.30.7. A user who sets one of them keeps it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.intent.host_model import NCCL_LINES

#: Name -> why it is not set, where nothing about the host says otherwise.
REASONS = {
    "NCCL_SOCKET_FAMILY": "bootstrap uses whatever the management network offers",
    "NCCL_IB_DISABLE": "1 uses sockets instead of RDMA: for diagnosis only",
    "NCCL_IB_GID_INDEX": "one index for all NICs, and it can change; the GID is found by address",
    "NCCL_IB_FIFO_TC": "control messages use the class of the data, which is the default",
    "NCCL_IB_SL": "priorities follow from DSCP; a service level matters on tagged links only",
    "NCCL_IB_RETRY_CNT": "the default 7 is the largest value",
    "NCCL_IB_SPLIT_DATA_ON_QPS": "0 by default: messages alternate between the queue pairs; "
    "try 1 where few large messages load the links unevenly",
    "NCCL_IB_ADAPTIVE_ROUTING": "off by default on RoCE; only for NICs that reorder packets",
    "NCCL_IB_AR_THRESHOLD": "used with adaptive routing only",
    "NCCL_IB_PCI_RELAXED_ORDERING": "2 by default: used where available",
    "NCCL_IB_MERGE_VFS": "1 by default: functions of one NIC count as that NIC",
    "NCCL_IB_MERGE_NICS": "every card is one rail, so there is nothing to separate",
    "NCCL_NET_MERGE_LEVEL": "every card is one rail, so there is nothing to separate",
    "NCCL_NET_MERGE_POLICY": "goes with the rail numbers in NCCL_IB_HCA, which 2.30.7 reads first",
    "NCCL_NET_FORCE_MERGE": "no NICs are fused by name",
    "NCCL_PXN_DISABLE": "0 by default: NVLink carries data to the GPU of the right rail; set 1 "
    "only where GPUs have no NVSwitch",
    "NCCL_P2P_PXN_LEVEL": "2 by default, which is what all-to-all wants",
    "NCCL_NET_GDR_LEVEL": "GPUDirect is used up to the distance that NCCL measured itself",
    "NCCL_NET_GDR_READ": "chosen by GPU generation and NVLink",
    "NCCL_DMABUF_ENABLE": "1 by default from 2.13 on",
    "NCCL_ALGO": "chosen for each size; a fixed one is for benchmarks",
    "NCCL_PROTO": "chosen for each size; a fixed one is for benchmarks",
    "NCCL_MIN_NCHANNELS": "follows from the NICs and GPUs that are found",
    "NCCL_MAX_NCHANNELS": "follows from the NICs and GPUs that are found",
    "NCCL_NET": "detected automatically; a cloud provider's plugin must stay active",
    "NCCL_NET_PLUGIN": (
        "detected automatically; `none` keeps a stray libnccl-net.so from being loaded"
    ),
    "NCCL_TOPO_FILE": "PCIe topology is visible; needed on virtual machines only, with host.nic "
    "and host.gpu PCI addresses",
    "NCCL_TOPO_DUMP_FILE": "for validation jobs",
    "NCCL_GRAPH_DUMP_FILE": "for validation jobs",
    "NCCL_IB_SUBNET_AWARE_ROUTING": "every NIC reaches every subnet through its gateway",
    "NCCL_IB_DEVICE_PCI_ORDER": "1 by default from 2.29.7 on: devices in PCI order",
    "NCCL_IB_RESILIENCY_PORT_FAILOVER": "another port is another rail; from 2.29.7 on, opt-in",
    "NCCL_IB_WARN_RAIL_LOCAL": "for diagnosis",
    "NCCL_DEBUG": "for diagnosis: INFO",
    "NCCL_DEBUG_SUBSYS": "for diagnosis: INIT,NET,GRAPH,ENV",
}


class Reads:
    """What a release reads: (line, release in the line) of the first one; 0 is the whole line."""

    SPLIT_DATA: Final = (18, 0)
    SPLIT_DATA_OFF: Final = (20, 0)
    MERGE_NICS: Final = (20, 0)
    GID_SEARCH: Final = (21, 0)
    #: The search goes on at an entry whose type cannot be read, such as the GID of another pod.
    GID_SEARCH_IN_PODS: Final = (26, 0)
    MERGE_LEVEL: Final = (24, 0)
    RAIL_IDS: Final = (30, 7)
    SUBNETS: Final = (30, 7)


@dataclass(frozen=True, slots=True)
class NcclRelease:
    """A release such as 2.21.5; a line without the last number is its oldest release."""

    line: int
    release: int = 0

    def reads(self, what: tuple[int, int]) -> bool:
        """Say whether this release reads a variable."""
        return (self.line, self.release) >= what

    def __str__(self) -> str:
        return f"2.{self.line}" + (f".{self.release}" if self.release else "")


#: Stands for a release that nobody named: the GID is searched for, rails have no numbers.
UNKNOWN = NcclRelease(NCCL_LINES[1])


#: The newest release that was compared; newer ones are taken for this one.
NEWEST = NcclRelease(NCCL_LINES[1], 7)


def nccl_release(text: str | None) -> NcclRelease:
    """Return the release that a text such as ``2.21.5`` names, or UNKNOWN for None.

    A release newer than those that were compared counts as the newest of them.

    Raises
    ------
    InputError
        When it is no release of NCCL 2 from 2.12 on.
    """
    if text is None:
        return UNKNOWN
    named = _named(text)
    return NEWEST if named.reads(_AFTER_NEWEST) else named


def newer_release(text: str | None) -> Finding | None:
    """Return a note about a release that is newer than all that were compared; else None."""
    if text is None or not _named(text).reads(_AFTER_NEWEST):
        return None
    message = f"NCCL {text} is newer than {NEWEST}, the latest release that rocefab knows"
    fix = f"the settings of {NEWEST} are used; see the release notes for changed variables"
    return Finding("PLC018", Severity.INFO, message, fix)


_AFTER_NEWEST = (NEWEST.line, NEWEST.release + 1)


def _named(text: str) -> NcclRelease:
    first, _ = NCCL_LINES
    parts = text.split(".")
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) <= 2]  # noqa: PLR2004
    whole = len(numbers) == len(parts) and len(parts) in {2, 3}
    if not whole or numbers[0] != 2 or numbers[1] < first:  # noqa: PLR2004
        message = f"{text[:20]!a} is not a known NCCL release"
        fix = f"use release 2.{first} or later, such as 2.21.5"
        raise InputError("unknown NCCL release", [Finding("PLC005", Severity.ERROR, message, fix)])
    return NcclRelease(*numbers[1:])
