"""What is decided of classes, queues and marks: on a port of a switch, and on a NIC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from fabric.intent.classes import LosslessClass


@dataclass(frozen=True, slots=True)
class Watchdog:
    """PFC watchdog of a port."""

    enabled: bool
    action: Literal["drop", "forward", "alert"]
    detection_ms: int
    restoration_ms: int
    poll_ms: int


@dataclass(frozen=True, slots=True)
class PauseBuffer:
    """Ingress buffer that a switch is told; ``buffer_bytes`` None adds the headroom it needs."""

    pause_threshold_bytes: int
    resume_threshold_bytes: int
    buffer_bytes: int | None


@dataclass(frozen=True, slots=True)
class PauseLevels:
    """Ingress queue at which a port pauses, and at which it ends the pause, in bytes.

    ``headroom_bytes`` is the room above the pause, where the inventory sets it.
    """

    pause_bytes: int
    resume_bytes: int
    headroom_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Wred:
    """Early drops in a queue."""

    kmin_bytes: int
    kmax_bytes: int
    pmax_percent: int


@dataclass(frozen=True, slots=True)
class Lossy:
    """Queues of other traffic; None is what the system has."""

    dynamic_th: int | None = None
    reserved_bytes: int | None = None
    wred: Wred | None = None


@dataclass(frozen=True, slots=True)
class QueueDesign:
    """One egress queue in use; ``percent`` is its round robin share, None = strict priority.

    ``lossless`` is the class of a lossless queue.

    Every DSCP is mapped to a traffic class of these queues, so the queues that are not named
    carry nothing from the fabric and keep the defaults of their system.
    """

    queue: int
    kind: Literal["default", "lossless", "cnp"]
    percent: int | None
    lossless: LosslessClass | None = None


@dataclass(frozen=True, slots=True)
class QosProfile:
    """One distinct lossless policy of a device, with its maps spelt out.

    Parameters
    ----------
    index : int
        0 for the policy that most ports have; further ones come from overrides.
    suffix : str
        ``""`` for index 0, else ``_1``, ``_2`` ...; ends the names of objects that no earlier
        policy has (`fabric.render.object_names`).
    dscp_to_traffic_class : tuple of int, length 64
        Traffic class of each DSCP.
    traffic_class_to_queue, traffic_class_to_priority_group, pfc_priority_to_queue :
        tuple of int, length 8
    classes : tuple of LosslessClass
        At least one; the first is the default of the hosts.
    queues : tuple of QueueDesign
        Egress queues that some DSCP reaches, ascending.
    dynamic_th : int or None
        log2(alpha) that the inventory asks for.
    """

    index: int
    suffix: str
    classes: tuple[LosslessClass, ...]
    cnp_dscp: int
    pfc: bool
    cnp_traffic_class: int
    cnp_queue: int
    dscp_to_traffic_class: tuple[int, ...]
    traffic_class_to_queue: tuple[int, ...]
    traffic_class_to_priority_group: tuple[int, ...]
    pfc_priority_to_queue: tuple[int, ...]
    queues: tuple[QueueDesign, ...]
    watchdog: Watchdog
    mtu_bytes: int
    dynamic_th: int | None = None
    pause_buffer: PauseBuffer | None = None
    lossy: Lossy = Lossy()

    @property
    def paused(self) -> tuple[int, ...]:
        """PFC priorities that are paused, ascending; none where PFC is off."""
        return tuple(sorted({one.pfc_priority for one in self.classes})) if self.pfc else ()


@dataclass(frozen=True, slots=True)
class HostQos:
    """What ``mlnx_qos`` is told; lists are indexed by priority or traffic class, 0 to 7.

    ``tsa`` words are those of the tool: ``ets`` or ``strict``; ``tc_bandwidth_percent`` of the
    ets classes sums to exactly 100. ``dscp_to_priority`` names every DSCP that must differ from
    the tool's start (priority = DSCP / 8): RoCE data, CNPs, and what shared their priorities.
    ``traffic_class_byte`` marks what says no class itself: with the first DSCP of the first class.
    """

    classes: tuple[LosslessClass, ...]
    cnp_dscp: int
    cnp_priority: int
    traffic_class_byte: int
    pfc: tuple[int, ...]
    priority_to_traffic_class: tuple[int, ...]
    tsa: tuple[str, ...]
    tc_bandwidth_percent: tuple[int, ...]
    dscp_to_priority: tuple[tuple[int, int], ...]

    @property
    def lossless_priorities(self) -> tuple[int, ...]:
        """Priorities of RoCE data, ascending."""
        return tuple(sorted({one.pfc_priority for one in self.classes}))

    @property
    def marks(self) -> dict[int, int]:
        """Priority of each DSCP that RoCE data and CNPs have."""
        data = {dscp: one.pfc_priority for one in self.classes for dscp in one.dscps}
        return {**data, self.cnp_dscp: self.cnp_priority}
