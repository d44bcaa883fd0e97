"""QoS of a Cumulus configuration: the RoCE recipe, and profiles of each kind."""

from __future__ import annotations

from fabric.observe.configuration.lossless import Use, Value
from fabric.systems.cumulus.reading_lossless.model import (
    GLOBAL,
    LINES,
    Congestion,
    LosslessLines,
)

_ON = ("on", "enable", "enabled")


def _define(reading: LosslessLines, kind: str, name: str, line: int) -> None:
    """Note a profile of ports at its first line."""
    if name != GLOBAL and name not in reading.profiles[kind]:
        reading.switch.defined.append(Use(f"qos {kind} profile", name, line))
    reading.profiles[kind].setdefault(name, line)


@LINES.means("roce")
def _roce(reading: LosslessLines, line: int, state: str = "on") -> None:
    reading.roce = line if state in _ON and reading.roce != 0 else 0


@LINES.means("mode")
def _mode(reading: LosslessLines, line: int, mode: str) -> None:
    reading.mode = mode
    if reading.roce is None:
        reading.roce = line


@LINES.means("trust")
def _trust(reading: LosslessLines, line: int, name: str, trust: str) -> None:
    _define(reading, "mapping", name, line)
    reading.mappings[name].trust = trust


@LINES.means("dscp")
def _dscp(reading: LosslessLines, line: int, name: str, dscp: str, priority: str) -> None:
    _define(reading, "mapping", name, line)
    mapping = reading.mappings[name]
    mapping.dscps[int(dscp)], mapping.dscp_lines[int(dscp)] = int(priority), line


@LINES.means("tag")
def _tag(reading: LosslessLines, line: int, name: str, tag: str, priority: str) -> None:
    _define(reading, "mapping", name, line)
    reading.mappings[name].tags[int(tag)] = int(priority)


@LINES.means("queue")
def _queue(reading: LosslessLines, _: int, priority: str, number: str) -> None:
    reading.queues[int(priority)] = int(number)


@LINES.means("priority")
def _priority(reading: LosslessLines, line: int, name: str, priority: str) -> None:
    _define(reading, "pfc", name, line)
    reading.pauses[name].priorities[int(priority)] = line


@LINES.means("way")
def _way(reading: LosslessLines, line: int, name: str, **ways: str) -> None:
    _define(reading, "pfc", name, line)
    for way, state in ways.items():
        if state not in _ON:
            reading.pauses[name].off[way] = line


@LINES.means("cable")
def _cable(reading: LosslessLines, line: int, name: str, metres: str) -> None:
    _define(reading, "pfc", name, line)
    reading.pauses[name].longest_m = int(metres)


@LINES.means("pool")
def _pool(reading: LosslessLines, _: int, pool: str, percent: str) -> None:
    if pool == "default-lossless":
        reading.lossless_pool = int(percent)


def _congestion(reading: LosslessLines, line: int, name: str, number: str) -> Congestion:
    _define(reading, "congestion-control", name, line)
    return reading.congestion[name].setdefault(int(number), Congestion(line))


@LINES.means("ecn")
def _ecn(reading: LosslessLines, line: int, name: str, number: str, state: str) -> None:
    _congestion(reading, line, name, number).ecn = state in _ON


@LINES.means("red")
def _red(reading: LosslessLines, line: int, name: str, number: str) -> None:
    _congestion(reading, line, name, number)


@LINES.means("kmin")
def _kmin(reading: LosslessLines, line: int, name: str, number: str, kmin: str) -> None:
    _congestion(reading, line, name, number).kmin_bytes = int(kmin)


@LINES.means("kmax")
def _kmax(reading: LosslessLines, line: int, name: str, number: str, kmax: str) -> None:
    _congestion(reading, line, name, number).kmax_bytes = int(kmax)


@LINES.means("pmax")
def _pmax(reading: LosslessLines, line: int, name: str, number: str, pmax: str) -> None:
    _congestion(reading, line, name, number).pmax_percent = float(pmax)


@LINES.means("service")
def _service(reading: LosslessLines, line: int, name: str, number: str, mode: str) -> None:
    _define(reading, "egress-scheduler", name, line)
    service = reading.services[name]
    if mode == "strict":
        service.strict[int(number)] = line
    else:
        service.percent.setdefault(int(number), Value(0, line))


@LINES.means("percent")
def _percent(reading: LosslessLines, line: int, name: str, number: str, percent: str) -> None:
    _define(reading, "egress-scheduler", name, line)
    reading.services[name].percent[int(number)] = Value(int(percent), line)


@LINES.means("poll")
def _poll(reading: LosslessLines, _: int, poll: str) -> None:
    reading.poll_ms = float(poll)


@LINES.means("polls")
def _polls(reading: LosslessLines, _: int, polls: str) -> None:
    reading.polls = float(polls)
