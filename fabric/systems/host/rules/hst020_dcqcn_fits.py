"""HST020: the DCQCN set of the NICs fits their registers and the marking of the leaf."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.design.nic import DCQCN_PLACES, dcqcn_settings, parameter_set
from fabric.validate.cable import kinds_of_nic_cable
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.intent.policy import LosslessPolicy
    from fabric.validate.cable import Cable
    from fabric.validate.world import Model


def _wrong(cable: Cable, policy: LosslessPolicy) -> tuple[str, str, Severity] | None:
    nic, port = cable.host.traits.nic, cable.port.qos
    place = DCQCN_PLACES.get(nic.driver)
    if place is None or nic.dcqcn_set is None or port is None or cable.host.no_lossless:
        return None
    try:
        dcqcn_settings(nic, policy, cable.nic.speed_gbps, place)
        wanted = parameter_set(nic.dcqcn_set, cable.nic.speed_gbps).congestion_point
    except ValueError as error:
        fix = "use another set, or byte_counter_unit_bytes as the firmware counts"
        return str(error), fix, Severity.ERROR
    told = (port.kmin_bytes, port.kmax_bytes, float(port.pmax_percent))
    if told == (wanted.kmin_bytes, wanted.kmax_bytes, wanted.pmax_percent):
        return None
    message = (
        f"dcqcn_set {nic.dcqcn_set} was computed for marking from {wanted.kmin_bytes} to "
        f"{wanted.kmax_bytes} bytes and {wanted.pmax_percent:g} %; {cable.device.name} marks from "
        f"{told[0]} to {told[1]} and {told[2]:g} %"
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
