"""Rules about priority groups and headroom of a CONFIG_DB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.findings import Severity
from fabric.qos.headroom.wire import floor_bytes
from fabric.systems.sonic.config_db import DEFAULT_MTU, number, plain_name
from fabric.systems.sonic.daemons import standard_profile
from fabric.systems.sonic.platforms import COMPUTED_PROFILE
from fabric.systems.sonic.rule import SonicModelRule, SonicPolicyRule
from fabric.validate.rule import areas, rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.core.findings import Finding
    from fabric.platforms.model import HeadroomRow as Row
    from fabric.systems.sonic.config_db import SonicConfig


areas.add("SON")("SONiC CONFIG_DB")


@rules.add("SON001")
class LosslessBuffers(SonicPolicyRule):
    """Every PFC priority has a lossless priority group and a queue buffer."""

    why = "PFC without headroom pauses too late: frames in flight are dropped."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgr.cpp; sonic-net/sonic-buildimage "
        "files/build_templates/buffers_config.j2"
    )
    guards = ("lossless.pfc", "lossless.pfc_priority", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look for the buffers of every priority in pfc_enable."""
        for port in config.lossless_ports:
            for group in port.groups:
                if (port.name, group) not in config.groups:
                    creates_later = (
                        not config.dynamic_buffers and config.cables.get(port.name, "0m") != "0m"
                    )
                    later = (
                        ": buffermgrd creates one if its table covers the cable length"
                        if creates_later
                        else ""
                    )
                    yield self.finding(
                        f"pfc_enable {port.qos['pfc_enable']} but no BUFFER_PG row for group "
                        f"{group}{later}",
                        f"add BUFFER_PG {port.name}|{group} with a lossless profile"
                        if len(config.lossless_ports) == 1
                        else f"add BUFFER_PG rows for group {group} with a lossless profile",
                        device=config.device,
                        port=port.name,
                        severity=Severity.WARNING if creates_later else None,
                    )
            for queue in port.queues:
                if (port.name, queue) not in config.queue_buffers:
                    yield self.finding(
                        f"pfc_enable {port.qos['pfc_enable']} but no BUFFER_QUEUE row for "
                        f"queue {queue}",
                        f"add BUFFER_QUEUE rows for queue {queue} with the lossless egress profile",
                        device=config.device,
                        port=port.name,
                    )
            if not port.traffic_classes:
                yield self.finding(
                    f"no traffic class reaches the queue of pfc_enable {port.qos['pfc_enable']}",
                    "correct TC_TO_QUEUE_MAP or MAP_PFC_PRIORITY_TO_QUEUE",
                    device=config.device,
                    port=port.name,
                )


@rules.add("SON003")
class LossyGroup(SonicPolicyRule):
    """Lossless traffic classes enter a lossless priority group."""

    why = "In a lossy group packets are dropped while the port pauses another group."
    source = "sonic-net/sonic-swss orchagent/qosorch.cpp, orchagent/bufferorch.cpp"
    guards = ("lossless.traffic_class", "lossless.priority_group")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Follow every lossless traffic class into its group."""
        for port in config.lossless_ports:
            for traffic_class, (_, group) in port.traffic_classes.items():
                row = config.groups.get((port.name, group), {})
                profile = config.profile(row.get("profile")) or {}
                if group not in port.groups:
                    message = (
                        f"lossless traffic class {traffic_class} enters priority group {group}, "
                        f"PFC acts for {', '.join(map(str, port.groups))}"
                    )
                elif "lossy" in str(profile.get("pool")):
                    message = (
                        f"priority group {group} of a lossless class has profile {row['profile']}"
                    )
                else:
                    continue
                yield self.finding(
                    message,
                    "map the class to the lossless group, and use a pg_lossless profile for the "
                    "group",
                    device=config.device,
                    port=port.name,
                )


@rules.add("SON007")
class GroupWithoutHeadroom(SonicPolicyRule):
    """Lossless buffer profiles have headroom."""

    why = "Without xoff there is no room for frames that arrive after the pause."
    source = (
        "sonic-net/sonic-swss orchagent/bufferorch.cpp; sonic-net/SONiC doc/qos/dynamically-"
        "headroom-calculation.md"
    )
    guards = ("lossless.pfc",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look at the profile of every lossless group."""
        names = {name for name in config.profiles if name.startswith("pg_lossless_")}
        for port in config.lossless_ports:
            for group in port.groups:
                row = config.groups.get((port.name, group), {})
                name = str(row.get("profile", COMPUTED_PROFILE))
                if name == COMPUTED_PROFILE:
                    if row and not config.dynamic_buffers:
                        yield self.finding(
                            f"group {group} needs a buffer computed by the "
                            f"switch, but its buffer_model is not dynamic",
                            "use a lossless profile, or set buffer_model to dynamic",
                            device=config.device,
                            port=port.name,
                        )
                elif "lossy" not in str((config.profile(name) or {}).get("pool")):
                    names.add(name)
        for name in sorted(names):
            profile = config.profile(name)
            if profile is None:
                yield self.finding(
                    f"buffer profile {name} of a lossless group does not exist",
                    "add it to BUFFER_PROFILE",
                    device=config.device,
                )
            elif not number(profile.get("xoff")) and not config.is_computed(profile):
                yield self.finding(
                    f"lossless buffer profile {name} has no xoff",
                    "set headroom_type to dynamic, or add xon and xoff"
                    if config.dynamic_buffers
                    else "add xon and xoff from the pg_profile_lookup.ini of the SKU",
                    device=config.device,
                )


@rules.add("SON045")
class StandardName(SonicPolicyRule):
    """The buffer manager leaves the profiles of lossless groups as they are."""

    why = (
        "At every change of a port the traditional buffer manager gives its lossless groups the "
        "profile of speed and cable length, whatever other one they have."
    )
    source = "sonic-net/sonic-swss cfgmgr/buffermgr.cpp (doSpeedUpdateTask)"
    guards = ("lossless.dynamic_th",)

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the profile of each lossless group with the only name that stays."""
        for port in config.lossless_ports if not config.dynamic_buffers else ():
            speed, cable = config.speed_mbps(port.name), config.cables.get(port.name, "0m")
            if cable == "0m" or speed is None:
                continue
            stays = standard_profile(str(speed), cable)
            for group in port.groups:
                name = plain_name(config.groups.get((port.name, group), {}).get("profile", stays))
                profile = config.profile(name)
                is_own = profile is not None and "lossy" not in str(profile.get("pool"))
                if is_own and name != stays and stays in config.profiles:
                    yield self.finding(
                        f"lossless group {group} has the profile {name}, which {stays} replaces",
                        "give ports of one speed and cable length one threshold, or set "
                        "buffer_model to dynamic",
                        device=config.device,
                        port=port.name,
                    )


@rules.add("SON014")
class CableLookup(SonicModelRule):
    """The lookup table of the SKU covers the cable length."""

    why = "For any other speed and length buffermgrd creates no lossless group, and only logs it."
    source = (
        "sonic-net/sonic-swss cfgmgr/buffermgr.cpp; sonic-net/sonic-buildimage "
        "device/*/*/*/pg_profile_lookup.ini"
    )
    guards = ("cables.host_m", "cables.uplink_m", "devices.ports.cable_m", "hosts.nics.cable_m")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Look up speed and cable length of every lossless port."""
        hwsku = str(config.metadata.get("hwsku", ""))
        if config.dynamic_buffers or not config.lossless_ports:
            return
        model = self.model(config)
        if model is None or not model.headroom:
            yield self.finding(
                f"the lookup table of hwsku {hwsku or '(none)'} is not known: "
                "cable lengths not checked",
                "",
                device=config.device,
                severity=Severity.INFO,
            )
            return
        for port in config.lossless_ports:
            speed, length = config.speed_mbps(port.name), config.cable_m(port.name)
            text = config.cables.get(port.name, "")
            if speed is not None and (speed, length) not in model.headroom:
                known = ", ".join(f"{cable}m" for cable in model.cable_lengths_m(speed)) or "none"
                yield self.finding(
                    f"cable length {text or '(none)'} at {speed} Mb/s is not in the table of "
                    f"{hwsku}; "
                    f"it has {known}",
                    "use the next longer length of the table",
                    device=config.device,
                    port=port.name,
                )


#: Field of a profile -> what the table calls it.
_FIELDS = {"xoff": "headroom_bytes", "xon": "xon_threshold_bytes", "size": "size_bytes"}


@rules.add("SON028")
class HeadroomRow(SonicModelRule):
    """Headroom is at least that of the vendor's table."""

    why = "Frames that arrive after the pause find no room and are dropped."
    source = (
        "sonic-net/sonic-buildimage device/*/*/*/pg_profile_lookup.ini; IEEE 802.3 annex 31B for "
        "models without a table"
    )
    judges_rendered = False
    guards = ("cables.host_m", "cables.uplink_m", "lossless.pfc")

    def check(self, config: SonicConfig) -> Iterator[Finding]:
        """Compare the profile of every lossless group with speed and cable of its port.

        What a switch with dynamic buffers does not compute is held against what no peer can avoid.
        """
        model = self.model(config)
        shared = any(number(pool.get("xoff")) for pool in config.rows("BUFFER_POOL").values())
        for port in config.lossless_ports:
            speed, cable_m = config.speed_mbps(port.name), config.cable_m(port.name)
            for group in port.groups:
                name = str(config.groups.get((port.name, group), {}).get("profile"))
                profile = config.profile(name)
                is_judged = _is_lossless(profile) and not config.is_computed(profile)
                if not is_judged or speed is None or cable_m is None:
                    continue
                tables = model.headroom if model and not config.dynamic_buffers else {}
                row = tables.get((speed, cable_m))
                for field, least in _least(row, speed, cable_m, shared=shared):
                    kept = number(profile[field]) if profile and field in profile else None
                    if kept is not None and kept < least:
                        yield self.at(
                            config,
                            ("BUFFER_PROFILE", name, field),
                            f"{field} {kept} of {name} is below {least}, which a port of "
                            f"{speed // 1000}G with {cable_m} m of cable needs",
                            f"use the row of the vendor's table: {field} {least}",
                            port=port.name,
                        )


def _is_lossless(profile: Mapping[str, Any] | None) -> bool:
    """Tell whether a profile has headroom; SON003 and SON007 judge one that has none."""
    return bool(profile and number(profile.get("xoff")) and "lossy" not in str(profile.get("pool")))


def _least(
    row: Row | None, speed_mbps: int, cable_m: int, *, shared: bool
) -> list[tuple[str, int]]:
    """Return the least value of each field; with a shared headroom pool size is xon alone."""
    if row is not None:
        fields = [field for field in _FIELDS if field != "size" or not shared]
        return [(field, int(getattr(row, _FIELDS[field]))) for field in fields]
    return [("xoff", int(floor_bytes(speed_mbps / 1000, cable_m, DEFAULT_MTU, 0)))]
