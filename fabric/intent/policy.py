"""The lossless policy: one object with every number of the lossless path, and how overrides merge.

An override (by role, device or port) is written with the same fields; only the fields that stand
in the file count. Cross-field rules are checks, not validators: half an override may look odd
until it is merged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from fabric.intent.scalars import Loose, formed

if TYPE_CHECKING:
    from fabric.core.shown import Path

Priority = Annotated[int, Field(ge=0, le=7)]
Dscp = Annotated[int, Field(ge=0, le=63)]
Percent = Annotated[int, Field(ge=1, le=100)]
Buffer = Annotated[int, Field(ge=1, le=2**40)]


class Model(BaseModel):
    """Base of all inventory models: frozen, strict, no unknown fields."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class EcnPolicy(Model):
    """Marking thresholds of the lossless queue (congestion point of DCQCN)."""

    kmin_bytes: int = Field(
        150_000, ge=1, le=2**40, description="Queue length at which marking starts."
    )
    kmax_bytes: int = Field(
        1_500_000, ge=1, le=2**40, description="Queue length at which every packet is marked."
    )
    pmax_percent: Percent = Field(100, description="Marking probability just below kmax_bytes.")


class SchedulerPolicy(Model):
    """Shares of the egress scheduler; the CNP queue is strict and has none."""

    lossless_percent: Percent = Field(
        50, description="Share of the lossless queue, or of all lossless queues together."
    )
    default_percent: Percent = Field(50, description="Share of best effort traffic.")


class WredPolicy(Model):
    """Early drops in a queue: TCP slows down before the queue is full."""

    kmin_bytes: Buffer = Field(description="Queue length at which drops start.")
    kmax_bytes: Buffer = Field(description="Queue length at which every packet is dropped.")
    pmax_percent: Percent = Field(10, description="Drop probability just below kmax_bytes.")


class LossyPolicy(Model):
    """Queues of other traffic; fields that are not set keep the values of the system."""

    dynamic_th: int | None = Field(
        None, ge=-8, le=7, description="log2(alpha) of each egress queue of other traffic."
    )
    reserved_bytes: int | None = Field(
        None, ge=0, le=2**40, description="Bytes that each of these queues has for itself."
    )
    wred: WredPolicy | None = Field(None, description="Early drops in the best effort queue.")


class WatchdogPolicy(Model):
    """PFC watchdog, which ends a pause storm."""

    enabled: bool = Field(True, description="Whether the watchdog runs.")  # noqa: FBT003
    action: Literal["drop", "forward", "alert"] = Field(
        "drop", description="Action on a queue that a pause storm has stopped."
    )
    detection_ms: int = Field(
        400, ge=1, le=60_000, description="Pause duration that counts as a storm."
    )
    restoration_ms: int = Field(
        400, ge=1, le=60_000, description="Time without pauses after which the queue is restored."
    )
    poll_ms: int = Field(200, ge=1, le=30_000, description="Polling interval.")


ClassName = Annotated[
    str, formed(r"^[a-z][a-z0-9]{0,15}$", "a lower case letter, then letters and digits, up to 16")
]


class ClassPolicy(Model):
    """One of several lossless classes; traffic class, queue and group default to the priority."""

    name: ClassName = Field(description="Name of the class: lower case letters and digits.")
    dscps: Annotated[tuple[Dscp, ...], Loose] = Field(
        min_length=1, description="DSCPs of its data; hosts send with the first."
    )
    pfc_priority: Priority = Field(description="Priority that PFC pauses.")
    traffic_class: Priority | None = Field(
        None, description="Traffic class in the switch; null: pfc_priority."
    )
    queue: Priority | None = Field(None, description="Egress queue; null: pfc_priority.")
    priority_group: Priority | None = Field(
        None, description="Ingress priority group; null: pfc_priority."
    )
    scheduler_percent: Percent | None = Field(
        None, description="Share of its queue; null: an equal part of scheduler.lossless_percent."
    )
    ecn: EcnPolicy | None = Field(
        None,
        description="Marking thresholds; null, and fields that are not set: those of lossless.ecn.",
    )


class PauseBufferPolicy(Model):
    """Ingress buffer of the lossless class where the switch does not size it (NX-OS)."""

    pause_threshold_bytes: Buffer = Field(description="Fill level at which the pause is sent.")
    resume_threshold_bytes: Buffer = Field(description="Fill level at which the pause ends.")
    buffer_bytes: Buffer | None = Field(
        None,
        description="Total buffer; null: threshold plus headroom of the longest cable.",
    )


class MtuPolicy(Model):
    """Sizes of IP packets: the ports must carry the longest packet of the hosts."""

    port_bytes: int = Field(
        9100,
        ge=68,
        le=9216,
        description="MTU of switch ports: the longest IP packet, on every system. Where the switch "
        "counts headers of the frame too, rocefab adds them: 14 bytes on Junos, 22 to the "
        "`jumboframe` of VRP8.",
    )
    host_bytes: int = Field(
        9000, ge=1280, le=9216, description="MTU of the hosts' NICs: the longest IP packet."
    )


class LosslessPolicy(Model):
    """Everything that makes the RoCE path lossless.

    Defaults and their sources: DSCP 26/48 and priorities 3/6 are the ConnectX defaults (mlxconfig
    CNP_DSCP, CNP_802P_PRIO) and the usual RoCE practice of NVIDIA and SONiC deployments; ECN
    150 kB / 1500 kB / 100 % are the figures of NVIDIA's RoCE mode (Onyx 3.10 manual, Cumulus
    ``nv set qos roce``); watchdog 400/400/200 ms is ``pfcwd start`` for up to 64 ports
    (sonic-utilities pfcwd/main.py); port MTU 9100 is the SONiC image default.
    """

    classes: Annotated[tuple[ClassPolicy, ...], Loose] = Field(
        (),
        description="Several lossless classes, the default of the hosts first; roce_dscp, "
        "pfc_priority, traffic_class, queue and priority_group are not set then.",
    )
    roce_dscp: Dscp = Field(26, description="DSCP of RoCE data packets.")
    cnp_dscp: Dscp = Field(48, description="DSCP of congestion notification packets.")
    pfc_priority: Priority = Field(3, description="Priority that PFC pauses.")
    traffic_class: Priority = Field(3, description="Traffic class of RoCE data in the switch.")
    queue: Priority = Field(3, description="Egress queue of RoCE data.")
    priority_group: Priority = Field(3, description="Ingress priority group of RoCE data.")
    cnp_traffic_class: Priority = Field(6, description="Traffic class of CNPs.")
    cnp_queue: Priority = Field(6, description="Egress queue of CNPs; strict, lossy.")
    pfc: bool = Field(True, description="Whether PFC is on, in both directions.")  # noqa: FBT003
    ecn: EcnPolicy = Field(EcnPolicy(), description="ECN marking thresholds.")
    scheduler: SchedulerPolicy = Field(SchedulerPolicy(), description="Egress scheduler.")
    lossy: LossyPolicy = Field(LossyPolicy(), description="Queues of other traffic.")
    watchdog: WatchdogPolicy = Field(WatchdogPolicy(), description="PFC watchdog.")
    mtu: MtuPolicy = Field(MtuPolicy(), description="Sizes of IP packets.")
    dynamic_th: int | None = Field(
        None,
        ge=-8,
        le=7,
        description="log2(alpha) of the lossless priority group; null: value of the vendor's "
        "table.",
    )
    pause_buffer: PauseBufferPolicy | None = Field(
        None, description="Ingress pause buffer, where the switch needs one; null: switch default."
    )


PolicyT = TypeVar("PolicyT", bound=Model)


def merge(base: PolicyT, override: PolicyT | None) -> PolicyT:
    """Return ``base`` with the fields that ``override`` sets, recursively."""
    if override is None or not override.model_fields_set:
        return base
    changes = {}
    for name in override.model_fields_set:
        value = getattr(override, name)
        old = getattr(base, name)
        changes[name] = merge(old, value) if isinstance(value, Model) and old else value
    return base.model_copy(update=changes)


def set_paths(override: Model, prefix: Path = ()) -> list[Path]:
    """Return the paths of the leaf fields that an override sets, and of the items of lists."""
    paths: list[Path] = []
    for name in sorted(override.model_fields_set):
        value = getattr(override, name)
        path = (*prefix, name)
        paths.extend(set_paths(value, path) if isinstance(value, Model) else [path])
        for number, item in enumerate(value) if isinstance(value, tuple) else ():
            if isinstance(item, Model):
                paths.extend(((*path, number), *set_paths(item, (*path, number))))
    return paths
