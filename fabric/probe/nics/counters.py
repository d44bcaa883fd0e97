"""The verdict on a NIC from its counters over a time, and that on a rail.

Sources: Linux Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst (pause
received: the network holds the NIC back; pause sent: the NIC holds the network back; an error of
the pause storm watch: pausing was switched off, so frames can be lost);
drivers/infiniband/hw/mlx5/counters.c (out_of_sequence, packet_seq_err, local_ack_timeout_err:
packets were lost or came late; np_cnp_sent, rp_cnp_handled: DCQCN).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fabric.core.counts import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fabric.observe.hostfacts.facts import NicFacts

Word = Literal["ok", "marks", "pauses", "drops", "unknown"]
#: From best to worst: a rail is what its worst NIC is.
WORDS: tuple[Word, ...] = ("ok", "marks", "pauses", "unknown", "drops")
MEANING: Mapping[Word, str] = {
    "ok": "no congestion",
    "marks": "ECN marks before PFC pauses",
    "pauses": "pauses",
    "drops": "drops",
    "unknown": "unknown",
}
_LOSSES = (
    *("out_of_sequence", "packet_seq_err", "local_ack_timeout_err"),
    "tx_pause_storm_error_events",
)
_MARKS = ("np_ecn_marked_roce_packets", "np_cnp_sent", "rp_cnp_handled")
#: Without one of these nothing can be said.
_NEEDED = ("out_of_sequence", "packet_seq_err", "local_ack_timeout_err", "np_cnp_sent")
_DISCARDS = ("rx_discards_phy", "tx_discards_phy")


@dataclass(frozen=True, slots=True)
class NicHealth:
    """Verdict on one NIC; ``deltas`` are the counters that moved, by name."""

    interface: str
    rail: int
    word: Word
    reason: str
    deltas: Mapping[str, int]

    @property
    def bad(self) -> bool:
        """Whether the NIC loses packets, or nobody knows."""
        return self.word in {"drops", "unknown"}


@dataclass(frozen=True, slots=True)
class RailHealth:
    """Verdict on one rail."""

    rail: int
    word: Word
    reason: str


def deltas(before: NicFacts, after: NicFacts) -> Mapping[str, int] | str:
    """Return by how much each counter rose, or why that is unknown."""
    differences: dict[str, int] = {}
    for kind in ("counters", "hw_counters"):
        first, second = getattr(before, kind), getattr(after, kind)
        if first is None or second is None:
            return f"{'driver' if kind == 'counters' else 'RDMA'} counters could not be read"
        if set(first) != set(second):
            return "the driver shows different counters than before"
        differences |= {name: value - first[name] for name, value in second.items()}
    if back := [name for name, value in differences.items() if value < 0]:
        return f"{min(back)} decreased: the driver was reloaded"
    return differences


def judge(
    interface: str, rail: int, priorities: tuple[int, ...], rose: Mapping[str, int] | str
) -> NicHealth:
    """Return the verdict on a NIC.

    Parameters
    ----------
    priorities : tuple of int
        The lossless priorities, 0 to 7.
    rose : mapping or str
        What ``deltas`` found.
    """
    if isinstance(rose, str):
        return NicHealth(interface, rail, "unknown", rose, {})
    moved = {name: value for name, value in rose.items() if value}
    pauses = [f"{way}_prio{number}_pause" for number in priorities for way in ("rx", "tx")]
    needed = (*_NEEDED, *_DISCARDS, *pauses)
    absent = [name for name in needed if name not in rose]
    lost = [name for name in moved if name in _LOSSES or "discard" in name]
    if lost:
        return NicHealth(interface, rail, "drops", _told(moved, lost), moved)
    if absent:
        reason = f"the driver has no counter {', '.join(absent)}"
        return NicHealth(interface, rail, "unknown", reason, moved)
    paused = [name for name in moved if name.endswith("_pause")]
    marks = [name for name in _MARKS if name in moved]
    if paused:
        reason = _told(moved, [*paused, *marks]) + _sides(paused, pauses)
        return NicHealth(interface, rail, "pauses", reason, moved)
    if marks:
        return NicHealth(interface, rail, "marks", _told(moved, marks), moved)
    return NicHealth(interface, rail, "ok", "no marks, pauses or drops", moved)


def _sides(paused: list[str], planned: list[str]) -> str:
    others = set(paused) - set(planned)
    text = ""
    if any(name.startswith("tx_") for name in paused):
        text += "; the NIC slows down the network: check PCIe and memory"
    if any(name.startswith("rx_") for name in paused):
        text += "; the network slows down the NIC"
    return text + ("; other priorities are paused too" if others else "")


def _told(moved: Mapping[str, int], names: Iterable[str]) -> str:
    return ", ".join(f"{name} +{moved[name]}" for name in names)


def judge_rail(rail: int, nics: Mapping[tuple[str, str], NicHealth]) -> RailHealth:
    """Return the verdict on a rail: that of its worst NIC, or that CNPs do not arrive.

    Parameters
    ----------
    nics : mapping
        Verdicts by host and interface.
    """
    if not nics:
        return RailHealth(rail, "unknown", "no NIC was checked")
    worst = max((nic.word for nic in nics.values()), key=WORDS.index)
    mine = [host for (host, _), nic in nics.items() if nic.word == worst]
    hosts = sorted(set(mine))
    reason = f"{len(mine)} of {counted(len(nics), 'NIC')}: {MEANING[worst]}"
    if worst not in ("ok", "marks"):
        reason += f" ({', '.join(hosts[:4])}{' ...' if len(hosts) > 4 else ''})"  # noqa: PLR2004
    return RailHealth(rail, worst, reason)


def lost_notices(nics: Iterable[NicHealth]) -> str:
    """Return a warning when NICs send CNPs and none handles one; else nothing."""
    seen = list(nics)
    sent = sum(nic.deltas.get("np_cnp_sent", 0) for nic in seen)
    if not sent or any(nic.word == "unknown" or nic.deltas.get("rp_cnp_handled") for nic in seen):
        return ""
    return (
        f"{counted(sent, 'CNP was', 'CNPs were')} sent but none was handled: they are lost or not "
        "recognised as CNPs"
    )
