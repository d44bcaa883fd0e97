"""Rules about ports and their models (TOP)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted, noun
from fabric.core.findings import Severity
from fabric.intent.yaml.file import ASSUMED
from fabric.platforms import platforms
from fabric.platforms.breakout import offered_mode
from fabric.platforms.releases import RELEASE_KEYS, has_form
from fabric.topology.model import NO_PORT
from fabric.validate.origins import Place, nic_place, port_place
from fabric.validate.rule import ModelRule, SwitchRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.platforms import Platform
    from fabric.validate.places import Places
    from fabric.validate.world import Model


@rules.add("TOP010")
class SpeedOffered(SwitchRule):
    """The switch model offers the speed of each port."""

    why = "A port that does not support the designed speed stays down."
    source = "Port tables of the vendors, as cited in fabric/systems/*/skus"
    guards = (
        "speeds.host_gbps",
        "speeds.uplink_gbps",
        "speeds.core_gbps",
        "units.host_gbps",
        "devices.ports.speed_gbps",
        "hosts.nics.speed_gbps",
    )

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Compare the speeds in use with those of the places."""
        for port in device.ports:
            offered = device.sku.speeds_of(port.number)
            if port.kind != "unused" and port.speed_gbps not in offered:
                mode = port.place.mode
                what = f" in mode {mode.word}" if mode else ""
                yield self.finding(
                    f"{device.sku.name} has no {port.speed_gbps}G ports{what}; it offers "
                    f"{', '.join(map(str, offered))}",
                    "use an offered speed, another mode or another model",
                    place=places.cable_place(device, port, "speed_gbps"),
                    device=device.name,
                    port=port.name,
                )


@rules.add("TOP017")
class DisabledNics(ModelRule):
    """All NICs are in use."""

    severity = Severity.INFO
    why = "Jobs that expect all rails fail or fall back on a host with a disabled NIC."
    source = "NVIDIA NCCL user guide, NCCL_IB_HCA"
    guards = ("hosts.nics.enabled",)

    def check(self, model: Model) -> Iterator[Finding]:
        """List the NICs that overrides disable, and those without a cable."""
        fabric, nics, tenants = model.fabric, model.fabric.nics, model.fabric.tenants
        apart = tenants.quarantined if tenants else np.zeros(len(nics), dtype=np.bool_)
        for row in np.flatnonzero(~nics.enabled & ~apart).tolist():
            unit = int(fabric.hosts.unit[nics.host[row]])
            state = "disabled" if nics.port[row] != NO_PORT else "without a cable"
            yield self.finding(
                f"the NIC of rail {int(nics.rail[row])} is {state}",
                "",
                place=nic_place(fabric, row, "enabled") or model.place("units", unit),
                device=fabric.hosts.names[int(nics.host[row])],
            )


@rules.add("TOP018")
class EmptyPort(ModelRule):
    """Port overrides apply to ports with a cable."""

    severity = Severity.WARNING
    why = "An override of an unconnected port has no effect, and the intended port is not changed."
    source = "fabric/topology/overrides.py in this repository"
    guards = ("devices.ports.enabled", "devices.ports.peer")

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up the port of every override."""
        for name, overrides in model.intent.device_overrides.items():
            if not any(override.value.ports for override in overrides):
                continue
            kinds = {port.name: port.kind for port in model.devices[name].ports}
            for override in overrides:
                for port, change in override.value.ports.items():
                    if kinds.get(port) == "unused" and change.state == "working":
                        field = f"{'.'.join(map(str, override.path))}.ports.{port}"
                        yield self.finding(
                            "this port has no cable, so the override has no effect",
                            "set the override on the intended port",
                            place=Place(field, override.position("ports", port)),
                            device=name,
                            port=port,
                        )


@rules.add("TOP019")
class BreakoutKnown(SwitchRule):
    """Cages use breakout modes that the switch model is known to offer."""

    lesser = Severity.WARNING
    why = "In a mode that the model does not offer, the ports never come up."
    source = "platform.json of the vendors, as cited in fabric/systems/*/skus"
    guards = (
        "platforms.leaf.breakouts",
        "platforms.spine.breakouts",
        "devices.breakouts",
    )

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look up each mode in use, once for each switch."""
        modes = {
            (p.breakout.word, device.sku.kind(p.place.cage)): p
            for p in reversed(device.ports)
            if p.breakout
        }
        for (word, kind), port in modes.items():
            if offered_mode(kind, word):
                continue
            known = ", ".join(kind.breakouts)
            yield self.finding(
                f"{device.sku.name} has no mode {word}; it offers {known}"
                if known
                else f"mode {word} is not confirmed for {device.sku.name}",
                "use an offered mode" if known else "try it on one switch first",
                severity=Severity.ERROR if known else Severity.WARNING,
                place=places.hardware_place(device, "breakouts"),
                device=device.name,
                port=port.cage,
            )


@rules.add("TOP020")
class ReleaseKnown(SwitchRule):
    """The release of a switch is known to rocefab."""

    lesser = Severity.INFO
    why = "Syntax and ranges differ between releases; those of another release may be rejected."
    source = (
        "CumulusNetworks/docs content/cumulus-linux-515, New and Changed NVUE Commands; "
        "sonic-net/sonic-buildimage 202405 and master, src/sonic-yang-models"
    )
    guards = ("platforms.leaf.release", "platforms.spine.release", "devices.release")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look up the release of each switch whose release is said."""
        platform, release = platforms[device.platform], device.sku.release
        wrong, fix = _wrong_release(platform, release) if release else ("", "")
        if wrong:
            yield self.finding(
                f"{platform.title} {release} {wrong}",
                fix,
                place=places.hardware_place(device, "release"),
                device=device.name,
                severity=None if platform.releases else Severity.INFO,
            )


def _wrong_release(platform: Platform, release: str) -> tuple[str, str]:
    """Return what is wrong with a release, and what to do; empty where it is right."""
    if platform.releases and not platform.knows(release):
        return "is not known", f"known: {', '.join(platform.releases)}"
    if has_form(platform.name, release) or (
        platform.releases and platform.name not in RELEASE_KEYS  # of a plug-in
    ):
        return "", ""
    train = platform.train(release)
    other = f"such as {train}" if platform.releases else "or compare it by hand"
    return "is of no form that rocefab can compare", f"write it as the vendor does, {other}"


@rules.add("TOP023")
class BrokenPort(ModelRule):
    """No cable ends on a port that is broken."""

    why = "A cable in a broken port carries no traffic; all other ports keep their positions."
    source = "fabric/intent/device_model.py in this repository (PortOverride.state)"
    guards = ("devices.ports.state",)

    def check(self, model: Model) -> Iterator[Finding]:
        """Look up the port of every override."""
        for name, overrides in model.intent.device_overrides.items():
            changes = [change for one in overrides for change in one.value.ports.values()]
            suspect = any(change.state == "broken" for change in changes)
            for port in model.devices[name].ports if suspect else ():
                if port.kind == "unused" or not port.enabled or not _broken(model, name, port.name):
                    continue
                how = "hosts/*.yaml (nics: rail, port)" if port.kind == "host" else "cabling.csv"
                yield self.finding(
                    f"the cable to {port.peer} {port.peer_port} ends on a broken port",
                    f"set its new port in {how}, or disable it with enabled: false",
                    place=port_place(model.intent, name, port.name, "state"),
                    device=name,
                    port=port.name,
                )


def _broken(model: Model, name: str, port: str) -> bool:
    """Tell whether the last word on a port is that it is broken."""
    rows = [
        override.value.ports[port].state
        for override in model.intent.device_overrides[name]
        if port in override.value.ports and "state" in override.value.ports[port].model_fields_set
    ]
    return rows[-1:] == ["broken"]


@rules.add("TOP027")
class AssumedValues(ModelRule):
    """Values that an import assumed are confirmed."""

    severity = Severity.INFO
    why = (
        "An assumed value may be wrong: a cable that is longer than assumed drops "
        "lossless frames, and wrong addresses are not reachable."
    )
    source = "docs/exchange.md, section Import"
    guards = ("speeds", "cables", "addressing", "host", "platforms", "units")

    def check(self, model: Model) -> Iterator[Finding]:
        """Count the comments of the import."""
        places = model.intent.assumed
        if places:
            each = noun(len(places), "it", "each")
            yield self.finding(
                f"{counted(len(places), 'value was', 'values were')} assumed by an import",
                f"confirm {each} and remove its comment '{ASSUMED}'",
                place=Place("fabric", places[0]),
            )
