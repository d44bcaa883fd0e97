"""Rules about a design that SONiC takes in its own way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.findings import Severity
from fabric.core.shown import listed
from fabric.platforms.features import feature
from fabric.systems.sonic.platforms import SONIC
from fabric.systems.sonic.view import is_managed
from fabric.validate.rule import ClassRule, SwitchRule, Wrong, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.design.model import DeviceDesign
    from fabric.design.qos_model import QosProfile
    from fabric.intent.classes import LosslessClass
    from fabric.validate.places import Places

#: Paths of the default BGP (constants.yml, bgp.maximum_paths).
_PATHS = 64


@rules.add("BGP006")
class FixedPaths(SwitchRule):
    """max_paths is set only where the switch can configure it."""

    severity = Severity.INFO
    why = "The default BGP of SONiC always uses up to 64 paths; another number is not rendered."
    source = (
        "sonic-net/sonic-buildimage files/image_config/constants/constants.yml (bgp.maximum_paths)"
    )
    guards = ("bgp.max_paths", "bgp.bfd", "bgp.peering")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for another number on SONiC."""
        plain = device.platform == "sonic" and not is_managed(device)
        bgp = device.bgp
        if plain and bgp.max_paths != _PATHS:
            is_short = bgp.equal_paths > _PATHS
            yield self.finding(
                f"bgp.max_paths {bgp.max_paths} has no effect on SONiC, which uses {_PATHS}"
                f"{f' of {bgp.equal_paths} equal paths' if is_short else ''}",
                "use fewer uplinks of a higher speed, such as whole ports"
                if is_short
                else "remove it for SONiC",
                place=places.place("bgp", "max_paths"),
                device=device.name,
                severity=Severity.ERROR if is_short else None,
            )


@rules.add("BGP008")
class OtherStack(SwitchRule):
    """BFD on SONiC is worth another configuration of BGP."""

    severity = Severity.WARNING
    why = (
        "bgpcfgd has no BFD: the FRR management framework takes its place, in a restart of all "
        "services when it changes."
    )
    source = "sonic-net/sonic-buildimage dockers/docker-fpm-frr (frr_mgmt_framework_config)"
    guards = ("bgp.bfd",)

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for BFD on SONiC without anything else that needs the framework."""
        needs = is_managed(replace(device, bgp=replace(device.bgp, bfd=False)))
        if device.platform == "sonic" and device.bgp.bfd and not needs:
            yield self.finding(
                "bgp.bfd moves SONiC to the FRR management framework",
                "keep it if the framework is wanted; else set bgp.bfd to false and "
                "bgp.keepalive_s and bgp.hold_s to 1 and 3: a dead link takes its session down "
                "at once",
                place=places.place("bgp", "bfd"),
                device=device.name,
            )


#: Releases in which the container writes the sessions into FRR's file at each start, in the mode
#: ``separated`` (dockers/docker-fpm-frr/docker_init.sh); later ones take it for ``unified``.
_WRITTEN_AT_START = ("202405", "202411", "202505", "202511")


@rules.add("SON047")
class SessionsAfterFreshBoot(SwitchRule):
    """Sessions over ports of SONiC survive a boot without a file of FRR."""

    severity = Severity.WARNING
    why = (
        "frrcfgd takes what CONFIG_DB has at its start for what FRR has: sessions over ports and "
        "their groups are not made where FRR starts without its own file, as after an installation."
    )
    source = (
        "sonic-net/sonic-buildimage #27723 (open; fix #27724), dockers/docker-fpm-frr/"
        "docker_init.sh (separated is taken for unified)"
    )
    guards = ("bgp.peering", "devices.peering", "platforms.leaf.release", "devices.release")

    def check_switch(self, places: Places, device: DeviceDesign) -> Iterator[Finding]:
        """Look for sessions without addresses on a release that may lose them."""
        release = device.sku.release
        if device.platform != "sonic" or not device.unnumbered_ports:
            return
        if SONIC.train(release) not in _WRITTEN_AT_START:
            family = feature("sonic", "ipv6") if device.uses_ipv6 else None
            fine = [one for one in _WRITTEN_AT_START if not (family and family.is_newer(one))]
            yield self.finding(
                f"unnumbered sessions of SONiC {release or 'of an unknown release'} may be lost at "
                "a boot without /etc/sonic/frr/frr.conf",
                f"where they are, make them once in vtysh (`neighbor FABRIC peer-group`, `neighbor "
                "PORT interface`), run `write memory` there and restart the container bgp; or set "
                f"the release, if it is {listed(fine)}",
                place=places.peering_place(device),
                device=device.name,
            )


@rules.add("QOS011")
class OwnNumbers(ClassRule):
    """On SONiC class, queue and priority group use the number of the PFC priority."""

    severity = Severity.WARNING
    why = (
        "buffermgrd creates lossless groups, and pfcwd watches queues, by the numbers in "
        "pfc_enable."
    )
    source = "sonic-net/sonic-swss cfgmgr/buffermgr.cpp, orchagent/pfcwdorch.cpp"
    guards = ("lossless.pfc_priority", "lossless.queue", "lossless.priority_group")

    def judge_class(
        self, device: DeviceDesign, _profile: QosProfile, one: LosslessClass
    ) -> Iterator[Wrong]:
        """Compare the four numbers of every class on SONiC."""
        if device.platform != "sonic":
            return
        writes_groups = device.buffer_model == "traditional"
        for field in ("traffic_class", "queue", "priority_group"):
            value = getattr(one, field)
            if value != one.pfc_priority:
                yield Wrong(
                    field,
                    f"{field} {value} is not pfc_priority {one.pfc_priority}"
                    + (
                        ": buffermgrd adds a lossless group of that number itself"
                        if writes_groups and field == "priority_group"
                        else ""
                    ),
                    f"set {field} to {one.pfc_priority}",
                    Severity.ERROR if writes_groups and field == "priority_group" else None,
                )
