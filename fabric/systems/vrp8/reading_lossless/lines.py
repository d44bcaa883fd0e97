"""What each line of a VRP8 configuration says of the lossless class."""

from __future__ import annotations

from fabric.observe.configuration.blocks import Context, numbers
from fabric.observe.configuration.lossless import Marking, Value
from fabric.observe.configuration.port_lines import add_port_lines
from fabric.systems.vrp8.platforms import PHBS
from fabric.systems.vrp8.reading_lossless.port import PORT
from fabric.systems.vrp8.reading_lossless.switch import DEFAULT, Port, Profile, Switch

_ANY = r".*"
#: Percent of ``discard-percentage`` where a profile does not name one (``ecn``, drop profile view).
_DEFAULT_PERCENT = 100

TOP = Context(
    r"(?!sysname |interface |dcb |diffserv domain |drop-profile |qos |arp timeout |ai-service$"
    r"|mac-address aging-time |load-balance ecmp$|port (split|mode) |traffic-policy ).*",
    r"interface (?!\d+GE|Eth-Trunk|Vlanif).*",
    r"dcb (compliance|app-profile|pfc uplink) .*",
    r"qos (group|car|lr|statistics|traffic-policy|micro-burst|buffer-monitoring) .*",
)
_PROFILE = Context(r"priority [0-7] (turn-off|error-down) threshold \d+")
_DOMAIN = Context(r"(8021p-inbound|8021p-outbound|ip-dscp-outbound) .*")
_DROP = Context(r"color (?!green (buffer-size (cell )?)?low-limit ).*")
_ETS = Context(_ANY)
_BALANCE = Context(r"(?!ip |ecmp mode ).*")
_SERVICE = Context(r"(?!ai-ecn$).*")
_LEARNING = Context()

add_port_lines(TOP, PORT, name="sysname", undo="undo ")


@TOP.line(r"interface (?P<name>(\d+GE|Eth-Trunk|Vlanif)[\d/:]+)", inside=PORT)
def _interface(switch: Switch, line: int, name: str) -> Port:
    return switch.interface(name, line)


@TOP.line(r"interface (\d+GE|Eth-Trunk|Vlanif)[\d/:]+\.\d+( .*)?", inside=Context(_ANY))
def _subinterface(_: Switch, __: int) -> None:
    """Leave subinterfaces out: PFC is a matter of their port."""


@TOP.line(r"dcb pfc( (?P<name>(?!uplink$)\S+))?", inside=_PROFILE)
def _profile(switch: Switch, line: int, name: str | None) -> tuple[Switch, Profile]:
    name = name or DEFAULT
    switch.define("PFC profile", name, line)
    built_in = {3: line} if name == DEFAULT else {}
    return switch, switch.profiles.setdefault(name, Profile(built_in))


Inside = tuple[Switch, Profile]


@_PROFILE.line(r"(?P<undo>undo )?priority(?P<values>( [0-7])+)")
def _priority(inside: Inside, line: int, undo: str | None, values: str) -> None:
    for priority in numbers(values):
        if undo:
            inside[1].priorities.pop(priority, None)
        else:
            inside[1].priorities[priority] = line


@_PROFILE.line(
    r"priority (?P<priority>[0-7]) deadlock-(?P<what>detect|recovery) time (?P<time>\d+)"
)
def _times(inside: Inside, line: int, priority: str, what: str, time: str) -> None:
    switch, profile = inside
    switch.features.add("family b")
    if what == "detect":
        profile.detection[int(priority)] = int(time)
    else:
        profile.recovery[int(priority)] = Value(int(time), line)


@TOP.line(
    r"(?P<what>dcb pfc global disable|qos ecn enable|dcb pfc dscp-mapping enable)( slot \d+)?"
)
@TOP.line(r"(?P<what>qos buffer headroom-pool) size \d+ [km]bytes( slot \d+)?")
def _feature(switch: Switch, _: int, what: str) -> None:
    switch.features.add(what)


@TOP.line(r"dcb pfc deadlock-(?P<what>detect|recovery) (?P<unit>timer|interval) (?P<time>\d+)")
def _timer(switch: Switch, _: int, what: str, unit: str, time: str) -> None:
    switch.features.add("family a" if unit == "timer" else "family b")
    switch.timers_ms[what if unit == "timer" else unit] = int(time)


@TOP.line(r"dcb pfc deadlock recovery-behavior (?P<what>discard|forwarding)( slot \d+)?")
def _behaviour(switch: Switch, _: int, what: str) -> None:
    switch.recovery = what


@TOP.line(r"dcb ets-profile (?P<name>\S+)", inside=_ETS)
def _ets_profile(switch: Switch, line: int, name: str) -> None:
    switch.define("ETS profile", name, line)


@TOP.line(r"diffserv domain (?P<name>\S+)", inside=_DOMAIN)
def _domain(switch: Switch, line: int, name: str) -> dict[int, int]:
    switch.define("diffserv domain", name, line)
    return switch.domains.setdefault(name, {})


@_DOMAIN.line(rf"ip-dscp-inbound (?P<dscp>\d+) phb (?P<phb>{'|'.join(PHBS)})( (green|yellow|red))?")
def _dscp(domain: dict[int, int], _: int, dscp: str, phb: str) -> None:
    domain[int(dscp)] = PHBS.index(phb)


@TOP.line(r"drop-profile (?P<name>\S+)", inside=_DROP)
def _drop_profile(switch: Switch, line: int, name: str) -> tuple[Switch, str]:
    switch.define("drop profile", name, line)
    switch.drops.setdefault(name, None)
    return switch, name


@_DROP.line(
    r"ecn (?P<unit>buffer-size cell |buffer-size |)low-limit (?P<low>\d+) high-limit (?P<high>\d+)"
    r"( discard-percentage (?P<percent>\d+))?"
)
def _thresholds(
    inside: tuple[Switch, str], line: int, unit: str, low: str, high: str, percent: str | None
) -> None:
    switch, name = inside
    marking = Marking(line, pmax_percent=float(percent or _DEFAULT_PERCENT))
    if unit == "buffer-size ":
        marking.kmin_bytes, marking.kmax_bytes = int(low), int(high)
    else:
        marking.limits = int(low), int(high)
    switch.drops[name] = marking


@_DROP.line(
    r"color green (buffer-size (cell )?)?low-limit (?P<low>\d+) high-limit (?P<high>\d+)"
    r" discard-percentage (?P<percent>\d+)"
)
def _green(inside: tuple[Switch, str], line: int, low: str, high: str, percent: str) -> None:
    switch, name = inside
    limits = int(low), int(high)
    switch.greens[name] = Marking(line, pmax_percent=float(percent), limits=limits)


@TOP.line(r"arp timeout (?P<seconds>\d+)")
def _arp(switch: Switch, line: int, seconds: str) -> None:
    switch.arp_timeout_s = Value(int(seconds), line)


@TOP.line(r"mac-address aging-time (?P<seconds>\d+)")
def _mac(switch: Switch, line: int, seconds: str) -> None:
    switch.mac_ageing_s = Value(int(seconds), line)


@TOP.line(r"load-balance ecmp", inside=_BALANCE)
def _balance(_: Switch, __: int) -> None:
    """Return the switch: the lines inside are about it."""


@_BALANCE.line(r"ip (?P<words>.+)")
def _fields(switch: Switch, _: int, words: str) -> None:
    switch.hash_fields = {word.removeprefix("l4-") for word in words.split()}


@_BALANCE.line(r"ecmp mode (?P<mode>spray|fixed|eligible)( .*)?")
def _mode(switch: Switch, _: int, mode: str) -> None:
    switch.features.add(mode)


@TOP.line(
    r"port split dimension interface (?P<kind>\d+GE) ?(?P<place>[\d/]+) split-type "
    r"\d\*(?P<gbps>\d+)GE"
)
@TOP.line(r"port mode (?P<gbps>\d+)GE? interface (?P<kind>\d+GE) ?(?P<place>[\d/:]+)")
def _speeds(switch: Switch, _: int, kind: str, place: str, gbps: str) -> None:
    switch.speeds[kind + place] = float(gbps)


@TOP.line(r"port (split|mode) (?!dimension interface \S+ ?[\d/]+ split|\S+ interface).*")
def _other_speeds(_: Switch, __: int) -> None:
    """Leave the speed open."""


@TOP.line(r"ai-service", inside=_SERVICE)
@_SERVICE.line(r"ai-ecn", inside=_LEARNING)
def _service(_: Switch, __: int) -> None:
    """Return the switch: the lines inside are about it."""


@_LEARNING.line(r"assign queue (?P<queue>[0-7])( model \S+)?")
def _assign(switch: Switch, line: int, queue: str) -> None:
    switch.learning[int(queue)] = line


@_LEARNING.line(r"(?P<what>ai-ecn enable)")
def _learn(switch: Switch, _: int, what: str) -> None:
    switch.features.add(what)
