"""What the lines of a VRP8 switch say of the lossless class, outside of its ports."""

from __future__ import annotations

from functools import partial

from fabric.observe.configuration.blocks import numbers
from fabric.observe.configuration.lossless import Marking, Value
from fabric.systems.vrp8.platforms import PHBS
from fabric.systems.vrp8.reading_lossless.switch import (
    DEFAULT,
    LINES,
    Class,
    Profile,
    Switch,
    VrpPort,
)

#: Percent of ``discard-percentage`` where a profile does not name one (``ecn``, drop profile view).
_DEFAULT_PERCENT = "100"
#: A word of the command for the uplinks, which is no name of a profile.
_UPLINK = "uplink"

Inside = tuple[Switch, Profile]


def _feature(what: str, switch: Switch, _: int) -> None:
    switch.features.add(what)


for _name, _words in {
    "no_pfc": "dcb pfc global disable",
    "ecn_enabled": "qos ecn enable",
    "mapping": "dcb pfc dscp-mapping enable",
    "pool": "qos buffer headroom-pool",
    "learning": "ai-ecn enable",
}.items():
    LINES.means(_name)(partial(_feature, _words))


@LINES.means("inside")
def _inside(_: Switch, __: int) -> None:
    """Return the switch: the lines inside are about it."""


@LINES.means("interface")
def _interface(switch: Switch, line: int, name: str) -> VrpPort:
    return switch.interface(name, line)


@LINES.means("profile")
def _profile(switch: Switch, line: int, name: str = DEFAULT) -> Inside:
    if name == _UPLINK:
        raise ValueError(name)
    switch.define("PFC profile", name, line)
    built_in = {3: line} if name == DEFAULT else {}
    return switch, switch.profiles.setdefault(name, Profile(built_in))


@LINES.means("priority")
def _priority(inside: Inside, line: int, values: str, no: str | None) -> None:
    for priority in numbers(values):
        if no:
            inside[1].priorities.pop(priority, None)
        else:
            inside[1].priorities[priority] = line


@LINES.means("detection")
def _detection(inside: Inside, _: int, priority: str, time: str) -> None:
    switch, profile = inside
    switch.features.add("family b")
    profile.detection[int(priority)] = int(time)


@LINES.means("recovery")
def _recovery(inside: Inside, line: int, priority: str, time: str) -> None:
    switch, profile = inside
    switch.features.add("family b")
    profile.recovery[int(priority)] = Value(int(time), line)


def _timer(what: str, family: str, switch: Switch, _: int, time: str) -> None:
    switch.features.add(family)
    switch.timers_ms[what] = int(time)


LINES.means("detection_timer")(partial(_timer, "detect", "family a"))
LINES.means("recovery_timer")(partial(_timer, "recovery", "family a"))
LINES.means("interval")(partial(_timer, "interval", "family b"))


@LINES.means("ets_profile")
def _ets_profile(switch: Switch, line: int, name: str) -> None:
    switch.define("ETS profile", name, line)


@LINES.means("diffserv_domain")
def _domain(switch: Switch, line: int, name: str) -> dict[int, Class]:
    switch.define("diffserv domain", name, line)
    return switch.domains.setdefault(name, {})


@LINES.means("dscp")
def _dscp(domain: dict[int, Class], line: int, dscp: str, phb: str) -> None:
    domain[int(dscp)] = Class(PHBS.index(phb), line)


Drop = tuple[Switch, str]


@LINES.means("drop_profile")
def _drop_profile(switch: Switch, line: int, name: str) -> Drop:
    switch.define("drop profile", name, line)
    switch.drops.setdefault(name, None)
    return switch, name


@LINES.means("marking")
def _marking(inside: Drop, line: int, low: str, high: str, percent: str = _DEFAULT_PERCENT) -> None:
    switch, name = inside
    switch.drops[name] = Marking(
        line, kmin_bytes=int(low), kmax_bytes=int(high), pmax_percent=float(percent)
    )


@LINES.means("limits")
def _limits(inside: Drop, line: int, low: str, high: str, percent: str = _DEFAULT_PERCENT) -> None:
    switch, name = inside
    limits = int(low), int(high)
    switch.drops[name] = Marking(line, pmax_percent=float(percent), limits=limits)


@LINES.means("green")
def _green(inside: Drop, line: int, low: str, high: str, percent: str) -> None:
    switch, name = inside
    limits = int(low), int(high)
    switch.greens[name] = Marking(line, pmax_percent=float(percent), limits=limits)


@LINES.means("arp")
def _arp(switch: Switch, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@LINES.means("mac")
def _mac(switch: Switch, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@LINES.means("fields")
def _fields(switch: Switch, _: int, words: str) -> None:
    switch.hash_fields = {word.removeprefix("l4-") for word in words.split()}


@LINES.means("mode")
def _mode(switch: Switch, _: int, mode: str) -> None:
    switch.features.add(mode)


@LINES.means("speed")
def _speed(switch: Switch, _: int, name: str, speed: str) -> None:
    switch.speeds[name.replace(" ", "")] = float(speed.rstrip("GE"))


@LINES.means("split")
def _split(switch: Switch, line: int, name: str, parts: str) -> None:
    _speed(switch, line, name, parts.partition("*")[2])


@LINES.means("assign")
def _assign(switch: Switch, line: int, queue: str) -> None:
    switch.learning[int(queue)] = line
