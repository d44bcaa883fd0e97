"""What a tool, an operator or an output says of a NIC: one record, whoever wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

T = TypeVar("T")
#: Values by the fields of the record below.
Fields = dict[str, Any]
#: Priorities of PFC (IEEE 802.1Q-2018 clause 36).
PRIORITIES = 8


class NicValue(NamedTuple, Generic[T]):
    """A value with the line that says it."""

    value: T
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NicProfile:
    """Settings of one NIC, or of NICs that are alike; None is what the text does not say.

    Parameters
    ----------
    form, file : str
        The form, and the file as messages name it.
    line : int
        Where the settings begin.
    subject : str
        What the file calls them, such as an object or a device; may be empty.
    nic : str
        Interface or RDMA device that they are for, where the text names it.
    pci_addresses : frozenset of str
        NICs that they are for; empty: all.
    device_id : str
        PCI device of these NICs, such as ``1021``; empty: any.
    port : int
        Port of the card, from 1; 0 for each.
    priority : NicValue of int or None
        Priority of RoCE data, 0 to 7.
    dscp : NicValue of int or None
        DSCP that RoCE data is sent with, 0 to 63.
    dscp_to_priority : mapping of int to NicValue of int
        Priority of received and sent packets by DSCP, as far as the text names them.
    cnp_dscp, cnp_priority : NicValue of int or None
        Marks of congestion notification packets.
    trust : NicValue of str or None
        ``dscp`` or ``pcp``.
    pfc : NicValue of frozenset of int or None
        Priorities that are paused.
    link_pause : NicValue of bool or None
        Whether pauses of the whole link are on (IEEE 802.3 annex 31B).
    cable_m : NicValue of int or None
        Length of the cable that the NIC reckons with.
    buffer_bytes : mapping of int to NicValue of int
        Receive buffer of each priority.
    shared_buffers : frozenset of int
        Priorities whose receive buffer another priority has too.
    out_of_order : NicValue of bool or None
        Whether packets that overtake each other are accepted.
    congestion_priorities : NicValue of frozenset of int or None
        Priorities on which the NIC slows down for congestion; empty for none.
    algorithm : NicValue of str or None
        Congestion control: ``dcqcn`` or ``programmable``.
    mtu_bytes, frame_bytes : NicValue of int or None
        Largest IP packet; largest Ethernet frame.
    release : NicValue of str or None
        Release of the Network Operator, which a cluster has one of.
    cnp_by_release : NicValue of bool or None
        The line that leaves the DSCP of CNPs to the release of the operator.
    spectrum_x : NicValue of bool or None
        The line that has the operator bring a Spectrum-X profile about.
    raw_beside : NicValue of str or None
        First raw setting that stands next to a Spectrum-X profile.
    """

    form: str
    file: str
    line: int = 0
    subject: str = ""
    nic: str = ""
    pci_addresses: frozenset[str] = frozenset()
    device_id: str = ""
    port: int = 0
    priority: NicValue[int] | None = None
    dscp: NicValue[int] | None = None
    dscp_to_priority: Mapping[int, NicValue[int]] = field(default_factory=dict)
    cnp_dscp: NicValue[int] | None = None
    cnp_priority: NicValue[int] | None = None
    trust: NicValue[str] | None = None
    pfc: NicValue[frozenset[int]] | None = None
    link_pause: NicValue[bool] | None = None
    cable_m: NicValue[int] | None = None
    buffer_bytes: Mapping[int, NicValue[int]] = field(default_factory=dict)
    shared_buffers: frozenset[int] = frozenset()
    out_of_order: NicValue[bool] | None = None
    congestion_priorities: NicValue[frozenset[int]] | None = None
    algorithm: NicValue[str] | None = None
    mtu_bytes: NicValue[int] | None = None
    frame_bytes: NicValue[int] | None = None
    release: NicValue[str] | None = None
    cnp_by_release: NicValue[bool] | None = None
    spectrum_x: NicValue[bool] | None = None
    raw_beside: NicValue[str] | None = None


def whole_calls(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a script with its number, with those that a backslash adds to it."""
    first, parts = 0, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        first = first if parts else number
        parts.append(line.removesuffix("\\"))
        if not line.endswith("\\"):
            yield first, " ".join(parts)
            parts = []
    if parts:
        yield first, " ".join(parts)


def line_of(text: str, offset: int) -> int:
    """Return the line, from 1, of a place in a text."""
    return text.count("\n", 0, offset) + 1
