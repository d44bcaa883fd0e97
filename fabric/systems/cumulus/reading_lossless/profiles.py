"""QoS of a Cumulus configuration: the RoCE recipe, and profiles of each kind."""

from __future__ import annotations

from fabric.observe.configuration.lossless import Use, Value
from fabric.systems.cumulus.reading_lossless.model import (
    GLOBAL,
    TABLE,
    Congestion,
    Reading,
)

_ON = ("on", "enable", "enabled")
_STATE = r"(?P<state>on|off|enabled?|disabled?)"
_CLASS = r"traffic-class (?P<number>[0-7])"


def _define(reading: Reading, kind: str, name: str, line: int) -> None:
    """Note a profile of ports at its first line."""
    if name != GLOBAL and name not in reading.profiles[kind]:
        reading.switch.defined.append(Use(f"qos {kind} profile", name, line))
    reading.profiles[kind].setdefault(name, line)


@TABLE.line(r"qos roce", rf"qos roce (enable|state) {_STATE}")
def _roce(reading: Reading, line: int, state: str = "on") -> None:
    reading.roce = line if state in _ON and reading.roce != 0 else 0


@TABLE.line(r"qos roce mode (?P<mode>lossless|lossless-single-ipool|lossy|lossy-multi-tc)")
def _mode(reading: Reading, line: int, mode: str) -> None:
    reading.mode = mode
    if reading.roce is None:
        reading.roce = line


@TABLE.line(r"qos mapping (?P<name>\S+) trust (?P<trust>l2|l3|both|port)")
def _trust(reading: Reading, line: int, name: str, trust: str) -> None:
    _define(reading, "mapping", name, line)
    reading.mappings[name].trust = trust


@TABLE.line(r"qos mapping (?P<name>\S+) dscp (?P<dscp>\d+) switch-priority (?P<priority>[0-7])")
def _dscp(reading: Reading, line: int, name: str, dscp: str, priority: str) -> None:
    _define(reading, "mapping", name, line)
    reading.mappings[name].dscps[int(dscp)] = int(priority)


@TABLE.line(r"qos mapping (?P<name>\S+) pcp (?P<tag>[0-7]) switch-priority (?P<priority>[0-7])")
def _tag(reading: Reading, line: int, name: str, tag: str, priority: str) -> None:
    _define(reading, "mapping", name, line)
    reading.mappings[name].tags[int(tag)] = int(priority)


@TABLE.line(rf"qos egress-queue-mapping {GLOBAL} switch-priority (?P<priority>[0-7]) {_CLASS}")
def _queue(reading: Reading, _: int, priority: str, number: str) -> None:
    reading.queues[int(priority)] = int(number)


@TABLE.line(r"qos pfc (?P<name>\S+) switch-priority (?P<priority>[0-7])")
def _priority(reading: Reading, line: int, name: str, priority: str) -> None:
    _define(reading, "pfc", name, line)
    reading.pauses[name].priorities[int(priority)] = line


@TABLE.line(rf"qos pfc (?P<name>\S+) (?P<way>tx|rx) {_STATE}")
def _way(reading: Reading, line: int, name: str, way: str, state: str) -> None:
    _define(reading, "pfc", name, line)
    if state not in _ON:
        reading.pauses[name].off[way] = line


@TABLE.line(r"qos traffic-pool default-lossless memory-percent (?P<percent>\d+)")
def _pool(reading: Reading, _: int, percent: str) -> None:
    reading.lossless_pool = int(percent)


def _congestion(reading: Reading, line: int, name: str, number: str) -> Congestion:
    _define(reading, "congestion-control", name, line)
    return reading.congestion[name].setdefault(int(number), Congestion(line))


@TABLE.line(rf"qos congestion-control (?P<name>\S+) {_CLASS} ecn {_STATE}")
def _ecn(reading: Reading, line: int, name: str, number: str, state: str) -> None:
    _congestion(reading, line, name, number).ecn = state in _ON


@TABLE.line(rf"qos congestion-control (?P<name>\S+) {_CLASS}( red {_STATE})?")
def _red(reading: Reading, line: int, name: str, number: str, state: str | None) -> None:
    del state
    _congestion(reading, line, name, number)


@TABLE.line(
    rf"qos congestion-control (?P<name>\S+) {_CLASS}"
    r" (?P<word>min-threshold|max-threshold|probability) (?P<value>\d+)"
)
def _threshold(reading: Reading, line: int, name: str, number: str, word: str, value: str) -> None:
    marking = _congestion(reading, line, name, number)
    if word == "min-threshold":
        marking.kmin_bytes = int(value)
    elif word == "max-threshold":
        marking.kmax_bytes = int(value)
    else:
        marking.pmax_percent = float(value)


@TABLE.line(rf"qos egress-scheduler (?P<name>\S+) {_CLASS} mode (?P<mode>dwrr|strict)")
def _service(reading: Reading, line: int, name: str, number: str, mode: str) -> None:
    _define(reading, "egress-scheduler", name, line)
    service = reading.services[name]
    if mode == "strict":
        service.strict[int(number)] = line
    else:
        service.percent.setdefault(int(number), Value(0, line))


@TABLE.line(rf"qos egress-scheduler (?P<name>\S+) {_CLASS} bw-percent (?P<percent>\d+)")
def _percent(reading: Reading, line: int, name: str, number: str, percent: str) -> None:
    _define(reading, "egress-scheduler", name, line)
    reading.services[name].percent[int(number)] = Value(int(percent), line)


@TABLE.line(r"qos pfc-watchdog (?P<word>polling-interval|robustness) (?P<value>\d+)")
def _watchdog(reading: Reading, _: int, word: str, value: str) -> None:
    if word == "polling-interval":
        reading.poll_ms = float(value)
    else:
        reading.polls = float(value)
