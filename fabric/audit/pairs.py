"""Settings of a NIC against its leaf port: what the one says and the other contradicts.

What a profile does not say is not judged, and what is not known of the leaf neither.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fabric.audit.switch import ROCE_MTU_BYTES
from fabric.core.units import gbps_to_mbps
from fabric.design.qos import ETHERNET_OVERHEAD_BYTES
from fabric.observe.nicprofiles.operator import RELEASES
from fabric.observe.nicprofiles.record import NicValue
from fabric.qos.headroom.mlx5 import MAX_CABLE_M, nic_headroom_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fabric.audit.leaf_side import LeafSide
    from fabric.observe.nicprofiles.record import NicProfile

    Judge = Callable[[NicProfile, LeafSide], Iterator["Mismatch"]]

_judges: list[Judge] = []
_USUAL_MTU_BYTES = 9_000


@dataclass(frozen=True, slots=True)
class Mismatch:
    """What does not fit, with the line of the profile.

    ``is_mild`` is a finding that is no error yet.
    """

    rule: str
    line: int
    message: str
    is_mild: bool = False


def mismatches(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    """Yield what a NIC and its leaf port have unlike each other."""
    for judge in _judges:
        yield from judge(profile, leaf)


def with_release(profile: NicProfile, release: str) -> NicProfile:
    """Return a profile with what a release of the operator sets by itself."""
    known = RELEASES[release]
    spectrum, by_release = profile.spectrum_x, profile.cnp_by_release
    if profile.cnp_dscp is None and spectrum and known.spectrum_x_cnp_dscp is not None:
        return replace(profile, cnp_dscp=NicValue(known.spectrum_x_cnp_dscp, spectrum.line))
    if profile.cnp_dscp is None and by_release:
        return replace(profile, cnp_dscp=NicValue(known.cnp_dscp, by_release.line))
    return profile


def raw_beside(profile: NicProfile, release: str) -> Iterator[Mismatch]:
    """Yield that raw settings stand next to a Spectrum-X profile; some releases take them."""
    raw = profile.raw_beside
    if raw:
        takes = release in RELEASES and RELEASES[release].takes_raw
        later = [name for name, one in RELEASES.items() if not one.takes_raw]
        message = f"{raw.value} stands next to a Spectrum-X profile"
        message += (
            f", which release {release} takes and release {later[-1]} rejects" if takes else ""
        )
        yield Mismatch("NIC015", raw.line, message, is_mild=takes)


def _judge(action: Judge) -> Judge:
    _judges.append(action)
    return action


def _words(numbers: frozenset[int]) -> str:
    if not numbers:
        return "no priority"
    return f"{'priority' if len(numbers) == 1 else 'priorities'} " + ", ".join(
        map(str, sorted(numbers))
    )


@_judge
def _pfc(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    pfc, paused = profile.pfc, leaf.lossless
    if pfc is not None and paused is not None and pfc.value != paused:
        message = f"the NIC pauses {_words(pfc.value)}, the leaf port {_words(paused)}"
        yield Mismatch("NIC001", pfc.line, message + leaf.place("pfc"))


@_judge
def _priority(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    priority, paused = profile.priority, leaf.lossless
    if priority is not None and paused is not None and priority.value not in paused:
        message = f"RoCE data has priority {priority.value}, the leaf port pauses {_words(paused)}"
        yield Mismatch("NIC002", priority.line, message + leaf.place("pfc"))


@_judge
def _dscp(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    """Judge the mark of data; a map that names lossless DSCPs alone is complete for them."""
    dscp, paused = profile.dscp, leaf.lossless
    lossless = {one for one, number in leaf.dscp_to_priority.items() if number in (paused or ())}
    if dscp and lossless and dscp.value not in lossless:
        right = ", ".join(map(str, sorted(lossless)))
        queue = leaf.dscp_to_queue.get(dscp.value)
        words = "not into a lossless queue" if queue is None else f"into queue {queue}"
        message = f"RoCE data has DSCP {dscp.value}, which the leaf port puts {words}; those of "
        yield Mismatch("NIC003", dscp.line, f"{message}data are {right}{leaf.place('dscp')}")


@_judge
def _map(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    """Compare maps: of lossless DSCPs, and of CNPs, which must not be paused."""
    for dscp, priority in profile.dscp_to_priority.items():
        there = leaf.dscp_to_priority.get(dscp)
        is_lossless = there is not None and there in (leaf.lossless or ())
        if is_lossless and priority.value != there:
            message = f"DSCP {dscp} has priority {priority.value} on the NIC, {there} on the leaf"
            yield Mismatch("NIC004", priority.line, f"{message} port{leaf.place('dscp')}")
        elif dscp == leaf.cnp_dscp and priority.value != leaf.cnp_priority:
            paused = priority.value in (leaf.lossless or ())
            message = f"CNPs (DSCP {dscp}) have priority {priority.value} on the NIC, "
            message += f"{leaf.cnp_priority} on the leaf port{leaf.place('cnp')}"
            yield Mismatch("NIC004" if paused else "NIC006", priority.line, message)


def _cnp_queue(dscp: int, leaf: LeafSide) -> str:
    """Return where the leaf puts CNPs with a DSCP, in words; empty where that is right.

    A DSCP that a map does not name is in none of the queues that the map leads others to.
    """
    queue, priority = leaf.dscp_to_queue.get(dscp), leaf.dscp_to_priority.get(dscp)
    if queue is not None and priority in (leaf.lossless or ()):
        return f"the lossless queue {queue}"
    right = (leaf.cnp_queues or frozenset()) & {*leaf.dscp_to_queue.values()}
    if right and queue not in right:
        where = _queue(queue)
        return f"{where}; that of CNPs is {', '.join(map(str, sorted(right)))}"
    return ""


def _queue(number: int | None) -> str:
    return "that of other traffic" if number is None else f"queue {number}"


@_judge
def _cnp_dscp(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    dscp = profile.cnp_dscp
    words = _cnp_queue(dscp.value, leaf) if dscp else ""
    if dscp and words:
        message = f"CNPs have DSCP {dscp.value}, which the leaf port puts into {words}"
        yield Mismatch("NIC005", dscp.line, message + leaf.place("cnp"))


@_judge
def _cnp_priority(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    priority = profile.cnp_priority
    if priority is None:
        return
    if leaf.cnp_priority is not None and priority.value != leaf.cnp_priority:
        message = f"CNPs have priority {priority.value} on the NIC, {leaf.cnp_priority} on the leaf"
        yield Mismatch("NIC006", priority.line, f"{message} port{leaf.place('cnp')}")
    elif leaf.cnp_priority is None and priority.value in (leaf.lossless or ()):
        message = f"CNPs have priority {priority.value}, which the leaf port pauses"
        yield Mismatch("NIC006", priority.line, message + leaf.place("pfc"))


@_judge
def _trust(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    trust = profile.trust
    if trust and leaf.trusts_dscp is not None and (trust.value == "dscp") != leaf.trusts_dscp:
        there = "DSCP" if leaf.trusts_dscp else "no DSCP"
        message = f"the NIC trusts {trust.value.upper()}, the leaf port {there}"
        yield Mismatch("NIC007", trust.line, message + leaf.place("trust"))


@_judge
def _cable(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    cable = profile.cable_m
    if cable and leaf.cable_m is not None and cable.value < leaf.cable_m:
        message = f"the NIC reckons with {cable.value} m of cable, the leaf port with"
        yield Mismatch("NIC008", cable.line, f"{message} {leaf.cable_m} m{leaf.place('cable')}")


@_judge
def _buffers(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    """Judge buffers of lossless priorities alone; firmware begins with one for several."""
    if not leaf.speed_gbps:
        return
    own = profile.cable_m.value if profile.cable_m else 0
    cable_m = min(own if leaf.cable_m is None else leaf.cable_m, MAX_CABLE_M)
    mtu = leaf.host_mtu_bytes or _USUAL_MTU_BYTES
    room = int(nic_headroom_bytes(gbps_to_mbps(leaf.speed_gbps), cable_m, mtu))
    for priority in sorted(leaf.lossless or ()):
        size = profile.buffer_bytes.get(priority)
        if size and priority not in profile.shared_buffers and size.value < room + mtu:
            message = f"the receive buffer of priority {priority} has {size.value:,} bytes; "
            message += f"the leaf port sends {room + mtu:,} after a pause{leaf.place('cable')}"
            yield Mismatch("NIC009", size.line, message)


@_judge
def _order(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    accepts = profile.out_of_order
    if accepts and leaf.sprays and not accepts.value:
        message = "the NIC waits for packets in order, the switches send them on several paths"
        yield Mismatch("NIC010", accepts.line, message + leaf.place("ecmp"))


@_judge
def _congestion(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    priorities, algorithm = profile.congestion_priorities, profile.algorithm
    deaf = (leaf.marks or frozenset()) - priorities.value if priorities else frozenset()
    if priorities and deaf:
        message = f"the NIC does not slow down on {_words(deaf)}, which the leaf port marks"
        yield Mismatch("NIC011", priorities.line, message + leaf.place("ecn"))
    if algorithm and leaf.dcqcn and algorithm.value != "dcqcn":
        message = f"the NIC has {algorithm.value} congestion control, the thresholds of the leaf"
        yield Mismatch("NIC011", algorithm.line, f"{message} are for DCQCN{leaf.place('ecn')}")


@_judge
def _mtu(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    """Compare packets, and frames: a port of a NIC that takes longer frames sends none."""
    packets, frames, there = profile.mtu_bytes, profile.frame_bytes, leaf.mtu_bytes
    if there is None:
        return
    planned = leaf.host_mtu_bytes or 0
    if (packets and (packets.value > there or packets.value < min(ROCE_MTU_BYTES, there))) or (
        packets and planned and packets.value != planned
    ):
        message = f"the MTU of the NIC is {packets.value:,} bytes, that of the leaf port {there:,}"
        message += f", and NICs have {planned:,}" if planned else ""
        yield Mismatch("NIC012", packets.line, message + leaf.place("mtu"))
    longest = min(planned or ROCE_MTU_BYTES, there) + ETHERNET_OVERHEAD_BYTES
    if frames and frames.value < longest:
        message = f"the NIC takes frames of {frames.value:,} bytes, the leaf port sends {longest:,}"
        yield Mismatch("NIC012", frames.line, message + leaf.place("mtu"))


@_judge
def _link_pause(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    pause = profile.link_pause
    if pause and pause.value and leaf.lossless:
        message = f"the NIC pauses the whole link, the leaf port {_words(leaf.lossless)}"
        yield Mismatch("NIC013", pause.line, message + leaf.place("pfc"))


@_judge
def _upgrade(profile: NicProfile, leaf: LeafSide) -> Iterator[Mismatch]:
    """Name the queue that CNPs change to with another release of the operator."""
    line, now = profile.cnp_by_release, profile.cnp_dscp
    if line is None:
        return
    by_dscp: dict[int, list[str]] = {}
    for name, release in RELEASES.items():
        by_dscp.setdefault(release.cnp_dscp, []).append(name)
    (old, before), (new, after) = by_dscp.items()
    queues = leaf.dscp_to_queue.get(old), leaf.dscp_to_queue.get(new)
    if queues[0] == queues[1] or (now and now.value == new):
        return
    message = (
        f"the DSCP of CNPs is left to the operator: {old} up to release {before[-1]}, {new} from "
        f"{after[0]} on; the upgrade moves CNPs from {_queue(queues[0])} to {_queue(queues[1])} "
        "of the leaf port"
    )
    yield Mismatch("NIC014", line.line, message + leaf.place("cnp"))
