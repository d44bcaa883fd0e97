"""Rules about the lossless settings of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.units import gbps_to_mbps
from fabric.design.configured import pmax_words
from fabric.design.nic import DCQCN_PLACES, dcqcn_settings, parameter_set
from fabric.design.qos import host_qos
from fabric.qos.headroom.mlx5 import MAX_TOLD_CABLE_M, nic_headroom_bytes
from fabric.validate.cable import kinds_of_nic_cable
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.intent.policy import LosslessPolicy
    from fabric.validate.cable import Cable
    from fabric.validate.world import Model


WHOLE_PERCENT = 100


@rules.add("HST004")
class HostEts(ModelRule):
    """The scheduler of the policy is valid on hosts."""

    why = "mlnx_qos rejects ETS shares that do not sum to 100 or that belong to a strict class."
    source = (
        "Mellanox/mlnx-tools python/mlnx_qos (checks of tsa and tcbw); IEEE 802.1Q-2018 clause 37.3"
    )
    guards = ("lossless.scheduler.lossless_percent", "lossless.cnp_traffic_class")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at the ETS shares of every distinct policy of hosts."""
        for end in model.host_ends():
            qos = host_qos(end.policy)
            shares = [
                share
                for share, tsa in zip(qos.tc_bandwidth_percent, qos.tsa, strict=True)
                if tsa == "ets"
            ]
            if sum(shares) != WHOLE_PERCENT or any(
                qos.tsa[priority] != "ets" for priority in qos.lossless_priorities
            ):
                yield self.finding(
                    f"traffic class {qos.cnp_priority} is strict on hosts and also has a share",
                    "use a CNP class that is neither the RoCE class nor class 0",
                    place=model.policy_place("cnp_traffic_class", end.device),
                    device=end.device,
                )
            elif qos.tc_bandwidth_percent[0] == 0 and qos.lossless_priorities[0]:
                yield self.finding(
                    "the lossless class takes 100 percent on hosts and leaves nothing for best "
                    "effort",
                    "leave a share for best effort",
                    place=model.policy_place(
                        qos.classes[0].field("scheduler.lossless_percent"), end.device
                    ),
                    device=end.device,
                    severity=Severity.WARNING,
                )


#: Cell of the receive buffer (Linux mlx5 en/port_buffer.h, MLX5E_BUFFER_CELL_SHIFT 7), and the
#: frame that the driver always keeps room for (port_buffer.c, max_mtu at least 9216).
CELL_BYTES, LARGEST_MTU_BYTES = 128, 9216


@rules.add("HST019")
class ReceiveBuffers(ModelRule):
    """The lossless receive buffer of a NIC holds its headroom."""

    why = "The driver rejects the size, and the NIC keeps the buffers of its firmware."
    source = (
        "Linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c (calculate_xoff, "
        "update_xoff_threshold)"
    )
    guards = (
        "host.nic.receive_buffers",
        "cables.host_m",
        "hosts.nics.cable_m",
        "lossless.mtu.host_bytes",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at one NIC of every kind of cable."""
        for cable, cables in kinds_of_nic_cable(model):
            nic = cable.nic
            if not nic.receive_buffer_bytes or nic.cable_m >= MAX_TOLD_CABLE_M:
                continue
            speed_mbps = gbps_to_mbps(nic.speed_gbps)
            room = int(nic_headroom_bytes(speed_mbps, nic.cable_m, nic.mtu_bytes))
            need = room + max(nic.mtu_bytes, LARGEST_MTU_BYTES) + CELL_BYTES
            if nic.receive_buffer_bytes[1] < need:
                yield self.finding(
                    f"lossless_bytes {nic.receive_buffer_bytes[1]} of {counted(cables, 'NIC')} "
                    f"with {nic.cable_m} m at {nic.speed_gbps}G is below {need}: {room} for what "
                    "arrives after a pause, and one frame",
                    f"use at least {need}, or let the firmware set the buffers",
                    place=traits_place(model, cable.host.name, "nic", "receive_buffers"),
                    device=cable.host.name,
                    is_example=True,
                    port=nic.interface,
                )


def _wrong(cable: Cable, policy: LosslessPolicy) -> tuple[str, str, Severity] | None:
    nic, port = cable.host.traits.nic, cable.port.qos
    place = DCQCN_PLACES.get(nic.driver)
    if place is None or nic.dcqcn_set is None or port is None or cable.host.no_lossless:
        return None
    try:
        dcqcn_settings(nic, policy, cable.nic.speed_gbps, place)
        target = parameter_set(nic.dcqcn_set, cable.nic.speed_gbps).congestion_point
    except ValueError as error:
        fix = "use another set, or byte_counter_unit_bytes as the firmware counts"
        return str(error), fix, Severity.ERROR
    sku = cable.device.sku
    wanted = (target.kmin_bytes, target.kmax_bytes, f"{target.pmax_percent:g} %")
    marking = [(one.kmin_bytes, one.kmax_bytes, pmax_words(one, sku)) for one in port.classes]
    values = next((one for one in marking if one != wanted), wanted)
    if values == wanted:
        return None
    message = (
        f"dcqcn_set {nic.dcqcn_set} was computed for marking from {target.kmin_bytes} to "
        f"{target.kmax_bytes} bytes and {wanted[2]}; {cable.device.name} marks from "
        f"{values[0]} to {values[1]} and {values[2]}"
    )
    fix = "use the same thresholds in lossless.ecn, or compare both with `rocefab show dcqcn`"
    return message, fix, Severity.WARNING


@rules.add("HST020")
class DcqcnFits(ModelRule):
    """The DCQCN set of the NICs fits their registers and the ECN marking of the leaf."""

    why = (
        "A value that does not fit its register is not written; a set with other thresholds is "
        "not known to be stable."
    )
    source = (
        "Mellanox/mstflint tools_layouts/tools_open_layouts.h; Zhu et al., Congestion Control for "
        "Large-Scale RDMA Deployments, SIGCOMM 2015"
    )
    guards = (
        "host.nic.dcqcn_set",
        "host.nic.byte_counter_unit_bytes",
        "lossless.ecn.kmin_bytes",
        "lossless.ecn.kmax_bytes",
        "lossless.ecn.pmax_percent",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at one NIC of every kind of cable."""
        for cable, _ in kinds_of_nic_cable(model):
            nic, name = cable.host.traits.nic, cable.host.name
            wrong = _wrong(cable, model.resolver.host(name)) if nic.dcqcn_set else None
            if wrong:
                yield self.finding(
                    wrong[0],
                    wrong[1],
                    place=traits_place(model, name, "nic", "dcqcn_set"),
                    device=name,
                    port=cable.nic.interface,
                    severity=wrong[2],
                )


@rules.add("HST021")
class StormOrder(ModelRule):
    """A NIC stops its pause before the watchdog of the leaf acts."""

    severity = Severity.WARNING
    why = "Otherwise the leaf drops the queue of a NIC that would have recovered."
    source = (
        "Linux drivers/net/ethernet/mellanox/mlx5/core/en_ethtool.c (pfc-prevention-tout); sonic-"
        "net/SONiC doc/qos/PFC watchdog design"
    )
    guards = (
        "host.nic.pause_storm_ms",
        "lossless.watchdog.detection_ms",
        "lossless.watchdog.enabled",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at one NIC of every kind of cable."""
        for cable, cables in kinds_of_nic_cable(model):
            told_ms, port = cable.nic.pause_storm_ms, cable.port.qos
            if told_ms is None or port is None or not port.watchdog.enabled:
                continue
            if told_ms >= port.watchdog.detection_ms:
                yield self.finding(
                    f"{counted(cables, 'NIC pauses', 'NICs pause')} for up to {told_ms} ms, "
                    f"{cable.device.name} acts after {port.watchdog.detection_ms} ms",
                    f"use a pause_storm_ms below {port.watchdog.detection_ms}",
                    place=traits_place(model, cable.host.name, "nic", "pause_storm_ms"),
                    device=cable.host.name,
                    is_example=True,
                    port=cable.nic.interface,
                )


#: Drivers whose settings are written for each lossless class.
DRIVERS_OF_CLASSES = frozenset({"mlx5", "mlx5-ofed"})


@rules.add("HST026")
class ClassesOfDriver(ModelRule):
    """The driver of the NICs sets up every lossless class."""

    why = "Data of a class that the NIC does not know is sent as best effort, and is not paused."
    source = (
        "Broadcom bnxt_setupcc.sh (one -r and one -s); AMD Pensando guides (nicctl update qos pfc "
        "with one priority)"
    )
    guards = ("lossless.classes", "host.nic.driver")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the classes of one host of each kind."""
        for kind in host_kinds(model):
            driver, host = kind.host.traits.nic.driver, kind.host
            count = max((len(nic.qos.classes) for nic in host.nics), default=0)
            if count > 1 and driver not in DRIVERS_OF_CLASSES and not host.no_lossless:
                yield self.finding(
                    f"the settings of driver {driver} know one lossless class, and the policy has "
                    f"{count}{kind.others}",
                    "use one class for these hosts, or set up their NICs otherwise",
                    place=model.policy_place("classes", host.name),
                    device=host.name,
                )
