"""Rules about drivers of hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.design.host import BETA_DRIVERS
from fabric.validate.cable import kinds_of_nic_cable
from fabric.validate.origins import port_place
from fabric.validate.rule import ModelRule, rules
from fabric.validate.traits import host_kinds, traits_place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.validate.world import Model


DRIVERS = {"nvidia": ("mlx5-ofed", "mlx5"), "broadcom": ("bnxt",), "amd": ("ionic",)}


@rules.add("HST011")
class DriverFits(ModelRule):
    """The driver of the NICs matches their vendor."""

    why = "Each driver has its own tools and files; those of another vendor are not installed."
    source = "Linux drivers/net/ethernet (mellanox/mlx5, broadcom/bnxt, pensando/ionic)"
    guards = ("host.nic.driver", "host.nic.vendor")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            nic = kind.host.traits.nic
            if nic.driver not in DRIVERS[nic.vendor]:
                yield self.finding(
                    f"driver {nic.driver} is not a {nic.vendor} driver",
                    f"use {' or '.join(DRIVERS[nic.vendor])}, or correct the vendor",
                    place=traits_place(model, kind.host.name, "nic", "driver"),
                    device=kind.host.name,
                    is_example=True,
                )


@rules.add("HST016")
class BetaDrivers(ModelRule):
    """Drivers not tested on a NIC are reported."""

    severity = Severity.INFO
    why = "The commands come from published tables and guides; a tool may reject one of them."
    source = "Broadcom bnxt_setupcc.sh 236.1.155.0; AMD Pensando Pollara guides (UG1813)"
    guards = ("host.nic.driver",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            driver = kind.host.traits.nic.driver
            if driver in BETA_DRIVERS and not kind.host.no_lossless:
                yield self.finding(
                    f"settings of driver {driver} are beta{kind.others}",
                    "try them on one host first",
                    place=traits_place(model, kind.host.name, "nic", "driver"),
                    device=kind.host.name,
                    is_example=True,
                )


NVIDIA_ONLY = (
    "dcqcn_set",
    "first_cnp_rate_mbps",
    "receive_buffers",
    "pause_storm_ms",
    "firmware_file",
)


@rules.add("HST022")
class DriverSettings(ModelRule):
    """NIC settings are supported by their driver."""

    severity = Severity.WARNING
    why = "Unsupported settings are not rendered, and the NIC keeps its factory values."
    source = (
        "Linux drivers/infiniband/hw/mlx5/cong.c; DOCA-OFED 25.10 en_sysfs.c; Mellanox/mstflint "
        "(mlxconfig)"
    )
    guards = (
        "host.nic.dcqcn_set",
        "host.nic.first_cnp_rate_mbps",
        "host.nic.receive_buffers",
        "host.nic.pause_storm_ms",
        "host.nic.firmware_file",
        "host.tuning.relaxed_ordering",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits, name = kind.host.traits, kind.host.name
            nic = traits.nic
            for field in NVIDIA_ONLY if not nic.driver.startswith("mlx5") else ():
                if getattr(nic, field):
                    yield self.finding(
                        f"nic.{field} has no effect with driver {nic.driver}",
                        "remove it",
                        place=traits_place(model, name, "nic", field),
                        device=name,
                    )
            if traits.tuning.relaxed_ordering and not nic.firmware_file:
                yield self.finding(
                    "tuning.relaxed_ordering is part of the mlxconfig file, which is not enabled",
                    "set nic.firmware_file: true",
                    place=traits_place(model, name, "tuning", "relaxed_ordering"),
                    device=name,
                )


BELOW = ("acs", "governor", "max_read_request_bytes")


@rules.add("HST024")
class VirtualMachine(ModelRule):
    """PCIe and CPU settings are not set in a virtual machine."""

    why = "A guest sees virtual bridges; with ACS off in a guest, GPU traffic is misrouted."
    source = (
        "NVIDIA NCCL user guide, troubleshooting, PCI access control services (virtual machines "
        "need ACS and ATS)"
    )
    guards = (
        "host.virtual_machine",
        "host.tuning.acs",
        "host.tuning.governor",
        "host.tuning.max_read_request_bytes",
    )

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            traits, name = kind.host.traits, kind.host.name
            for field in BELOW if traits.virtual_machine else ():
                value = getattr(traits.tuning, field)
                if value is not None:
                    yield self.finding(
                        f"tuning.{field} {value} is set in a virtual machine",
                        "set it on the hypervisor, and remove it here",
                        place=traits_place(model, name, "tuning", field),
                        device=name,
                        severity=Severity.ERROR if field == "acs" else Severity.WARNING,
                    )


#: A port of InfiniBand has no link to a switch of Ethernet; LINK_TYPE_P1 2 is Ethernet (mlxconfig).
FIXES = {
    "infiniband": "set the ports to Ethernet (LINK_TYPE_P1=2 of mlxconfig), or exclude the hosts"
}


@rules.add("HST013")
class LinkLayer(ModelRule):
    """NICs whose link layer is not RoCE get no lossless configuration."""

    severity = Severity.WARNING
    why = (
        "PFC, DSCP maps and DCQCN have no use on another link layer, or harm it; the host"
        " gets only its addresses."
    )
    source = (
        "InfiniBand Architecture Specification 1.4 section 7.9 (credits); RFC 5040 and RFC 5044 "
        "(iWARP over TCP); InfiniBand Architecture Specification annex A17 (RoCEv2)"
    )
    guards = ("host.nic.link_layer",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look at every kind of host."""
        for kind in host_kinds(model):
            reason = kind.host.no_lossless
            if reason:
                yield self.finding(
                    f"no lossless configuration: {reason}{kind.others}",
                    FIXES.get(kind.host.traits.nic.link_layer, ""),
                    place=traits_place(model, kind.host.name, "nic", "link_layer"),
                    device=kind.host.name,
                    is_example=True,
                )


#: Where a line of `show cable` is set, but for addresses.
_SECTIONS = {"lossless DSCPs": ("lossless",)}


@rules.add("HST017")
class CableFits(ModelRule):
    """Both ends of the cable of a NIC have compatible settings."""

    why = "The link stays down, the gateway is not found, or lossless packets change their class."
    source = (
        "IEEE 802.3 clauses 91, 119 and 134 (FEC); IEEE 802.1Q-2018 clause 36; RFC 2474 section 3"
    )
    guards = ("devices.ports.fec", "lossless.roce_dscp", "addressing.gateway_offset")

    def check(self, model: Model) -> Iterator[Finding]:
        """Compare both ends of one cable of every kind, line by line."""
        for cable, cables in kinds_of_nic_cable(model):
            where = f"{cable.device.name} {cable.port.name}"
            for line in cable.lines():
                if line.rule == self.id and line.verdict == "wrong":
                    own = port_place(model.intent, cable.device.name, cable.port.name, "fec")
                    yield self.finding(
                        f"{line.item}: {line.host} at the host, {line.switch} at the switch, on "
                        f"{counted(cables, 'cable')} like that to {where}",
                        line.note or "use the same setting at both ends",
                        place=own or model.place(*_SECTIONS.get(line.item, ("addressing",))),
                        device=cable.host.name,
                        is_example=True,
                        port=cable.nic.interface,
                    )
