"""Columns of figures: where each comes from in a snapshot, and what it is called in messages.

A column has one figure for each end of a cable, or eight: one for each priority, queue or group.
Names of the counters of NICs: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/
counters.rst and drivers/infiniband/hw/mlx5/counters.c.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Priorities, queues and groups of a port.
WIDTH = 8
Where = Literal["switch", "nic", "both"]


@dataclass(frozen=True, slots=True)
class Column:
    """A figure of each end.

    Parameters
    ----------
    text : str
        What it counts, for messages.
    source : str
        The reading that it comes from: what resets one of its counters may reset the others.
    where : str
        Which devices have it.
    parts : tuple of (str, tuple of str)
        Tables of a reading, and which of their names each figure has: the name of a counter, or of
        a field with the number behind it.
    width : int
        How many figures an end has: 8, or the counters of which the sum is one figure.
    is_sum : bool
        Whether the rises of its figures are added up; one that is not reported counts for nothing.
    is_counter : bool
        Whether it only rises; else its last value counts.
    """

    text: str
    source: str
    where: Where
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    width: int = 1
    is_sum: bool = False
    is_counter: bool = True

    @property
    def planned(self) -> str:
        """Field of the plan that says which of the eight count; empty where there are not eight."""
        if self.width != WIDTH or self.is_sum:
            return ""
        is_pause = self.source == "pfc_counters" or "paus" in self.text
        return "paused" if is_pause else _PLANNED.get(self.source, "lossless")


#: Fields of a plan by the source of eight figures, where it is not that of lossless queues.
_PLANNED = {"priority_groups": "groups"}


def _port(text: str, *names: str) -> Column:
    """Return the sum of counters of switch ports, of those that are there."""
    parts = (("interfaces", names),)
    return Column(text, "interfaces", "switch", parts, len(names), is_sum=True)


def _nic(text: str, *names: str) -> Column:
    """Return the sum of counters of NICs, of those that are there."""
    return Column(text, "nics", "nic", (("nics", names),), len(names), is_sum=True)


def _wide(form: str) -> tuple[str, ...]:
    """Return names with each number."""
    return tuple(form.format(number) for number in range(WIDTH))


def _nic_wide(text: str, form: str) -> Column:
    """Return counters of NICs with a priority in their names."""
    return Column(text, "nics", "nic", (("nics", _wide(form)),), WIDTH)


def _either(text: str, switch: tuple[str, ...], nic: tuple[str, ...]) -> Column:
    """Return the sum of counters that switches and NICs call differently."""
    parts = (("interfaces", switch), ("nics", nic))
    return Column(text, "interfaces", "both", parts, max(len(switch), len(nic)), is_sum=True)


def _pauses(way: str, text: str, form: str) -> Column:
    """Return pause frames by priority, of switch ports and of NICs."""
    parts = (("pfc_counters", _wide(f"{way}{{}}")), ("nics", _wide(form)))
    return Column(text, "pfc_counters", "both", parts, WIDTH)


def _numbered(text: str, field: str, name: str, *, is_counter: bool = True) -> Column:
    """Return a figure of numbered queues or groups."""
    parts = ((field, _wide(f"{name}{{}}")),)
    return Column(text, field, "switch", parts, WIDTH, is_counter=is_counter)


#: What the systems call the directions of a port.
_WAYS = ("rx", "tx", "in", "out")
COLUMNS: Mapping[str, Column] = {
    "up": Column(
        "state of the link",
        "interfaces",
        "both",
        (("interfaces", ("up",)), ("nics", ("up",))),
        is_counter=False,
    ),
    "pauses_received": _pauses("received", "received pause frames by priority", "rx_prio{}_pause"),
    "pauses_sent": _pauses("sent", "sent pause frames by priority", "tx_prio{}_pause"),
    "all_pauses_received": _port("received pause frames", "rx_pfc_frames", "in_pfc_frames"),
    "all_pauses_sent": _port("sent pause frames", "tx_pfc_frames", "out_pfc_frames"),
    "paused_us": _nic_wide("time paused by the net", "rx_prio{}_pause_duration"),
    "pausing_us": _nic_wide("time pausing the net", "tx_prio{}_pause_duration"),
    "sent_packets": _port("sent packets", "tx_packets", "out_packets"),
    "received_packets": _port("received packets", "rx_packets", "in_packets"),
    "sent_bytes": _port("sent bytes", "tx_bytes", "out_bytes"),
    "received_bytes": _port("received bytes", "rx_bytes", "in_bytes"),
    "drops": _either(
        "discarded packets",
        tuple(f"{way}_{name}" for way in _WAYS for name in ("drops", "discards")),
        ("rx_discards_phy", "tx_discards_phy"),
    ),
    "errors": _port("errors", *(f"{way}_errors" for way in _WAYS)),
    "flaps": _either("changes of the link", ("carrier_transitions",), ("link_down_events_phy",)),
    "fec_corrected": _port("codewords that FEC corrected", "fec_corrected"),
    "fec_uncorrected": _port("codewords that FEC could not correct", "fec_uncorrected"),
    "marks": _numbered("ECN marks of queues", "ecn", "marked_packets"),
    "all_marks": _port("ECN marks", "out_ecn_marked_packets"),
    "queue_packets": _numbered("packets of queues", "queues", "packets"),
    "queue_drops": _numbered("drops of queues", "queues", "dropped_packets"),
    "queue_peak_bytes": _numbered(
        "watermarks of queues", "queues", "watermark_bytes", is_counter=False
    ),
    "group_drops": _numbered("drops of priority groups", "priority_groups", "dropped_packets"),
    "headroom_peak_bytes": _numbered(
        "headroom watermarks of priority groups",
        "priority_groups",
        "watermark_bytes",
        is_counter=False,
    ),
    "storms": _numbered("storms of the PFC watchdog", "watchdog", "storms_detected"),
    "operational": _numbered(
        "state of the PFC watchdog", "watchdog", "operational", is_counter=False
    ),
    "nic_packets": _nic_wide("sent packets by priority", "tx_prio{}_packets"),
    "nic_discards": _nic_wide("discarded packets by priority", "rx_prio{}_discards"),
    "nic_marks": _nic("RoCE packets with an ECN mark", "np_ecn_marked_roce_packets"),
    "cnp_sent": _nic("CNPs sent", "np_cnp_sent"),
    "cnp_handled": _nic("CNPs handled", "rp_cnp_handled"),
    "cnp_ignored": _nic("CNPs ignored", "rp_cnp_ignored"),
    "out_of_buffer": _nic("drops without a receive buffer", "out_of_buffer"),
    "lost": _nic(
        "packets out of sequence and acknowledgements that did not come",
        "out_of_sequence",
        "packet_seq_err",
        "local_ack_timeout_err",
    ),
    "storm_errors": _nic("pause storms of the NIC", "tx_pause_storm_error_events"),
}
