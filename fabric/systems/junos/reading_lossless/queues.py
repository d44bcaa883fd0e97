"""Drop profiles, schedulers and their maps of a Junos configuration."""

from __future__ import annotations

import re

from fabric.observe.configuration.lossless import Use, Value
from fabric.systems.junos.reading_lossless.classes import use_class
from fabric.systems.junos.reading_lossless.model import TABLE, DropProfile, Reading, Scheduler

_COS = "class-of-service"
_DROP = rf"{_COS} drop-profiles (?P<name>\S+)"
_SCHEDULER = rf"{_COS} schedulers (?P<name>\S+)"


def _drop_profile(reading: Reading, name: str, line: int) -> DropProfile:
    if name not in reading.drop_profiles:
        reading.switch.defined.append(Use("drop-profile", name, line))
    return reading.drop_profiles.setdefault(name, DropProfile(line))


_POINT = r"(fill-level|drop-probability) (\d+(?:\.\d+)?)"


@TABLE.line(rf"{_DROP} interpolate(?P<words>( {_POINT})+)")
def _interpolate(reading: Reading, line: int, name: str, words: str) -> None:
    profile = _drop_profile(reading, name, line)
    for word, value in re.findall(_POINT, words):
        (profile.levels if word == "fill-level" else profile.chances).append(float(value))


@TABLE.line(rf"{_DROP} fill-level (?P<level>\d+(\.\d+)?) drop-probability (?P<chance>\d+)")
def _step(reading: Reading, line: int, name: str, level: str, chance: str) -> None:
    profile = _drop_profile(reading, name, line)
    profile.levels.append(float(level))
    profile.chances.append(float(chance))


def _scheduler(reading: Reading, name: str, line: int) -> Scheduler:
    if name not in reading.schedulers:
        reading.switch.defined.append(Use("scheduler", name, line))
    return reading.scheduler(name, line)


@TABLE.line(
    rf"{_SCHEDULER} drop-profile-map loss-priority (?P<loss>\S+) protocol any"
    r" drop-profile (?P<profile>\S+)"
)
def _drop_map(reading: Reading, line: int, name: str, loss: str, profile: str) -> None:
    _scheduler(reading, name, line).profiles[loss] = profile
    reading.switch.used.append(Use("drop-profile", profile, line))


@TABLE.line(rf"{_SCHEDULER} explicit-congestion-notification")
def _ecn(reading: Reading, line: int, name: str) -> None:
    _scheduler(reading, name, line).ecn = True


@TABLE.line(rf"{_SCHEDULER} transmit-rate percent (?P<percent>\d+)")
def _percent(reading: Reading, line: int, name: str, percent: str) -> None:
    _scheduler(reading, name, line).percent = Value(int(percent), line)


@TABLE.line(rf"{_SCHEDULER} priority (?P<priority>\S+)")
def _priority(reading: Reading, line: int, name: str, priority: str) -> None:
    scheduler = _scheduler(reading, name, line)
    scheduler.strict = line if priority == "strict-high" else 0


@TABLE.line(rf"{_SCHEDULER} (buffer-size|shaping-rate|buffer-dynamic-threshold|excess-rate) .*")
def _other(reading: Reading, line: int, name: str) -> None:
    _scheduler(reading, name, line)


@TABLE.line(
    rf"{_COS} scheduler-maps (?P<name>\S+) forwarding-class (?P<target>\S+)"
    r" scheduler (?P<scheduler>\S+)"
)
def _map(reading: Reading, line: int, name: str, target: str, scheduler: str) -> None:
    if name not in reading.maps:
        reading.switch.defined.append(Use("scheduler-map", name, line))
    reading.maps.setdefault(name, {})[target] = scheduler
    reading.switch.used.append(Use("scheduler", scheduler, line))
    use_class(reading, target, line)


@TABLE.line(rf"{_COS} traffic-control-profiles (?P<name>\S+) scheduler-map (?P<target>\S+)")
def _control_profile(reading: Reading, line: int, name: str, target: str) -> None:
    reading.control_profiles[name] = target
    reading.switch.used.append(Use("scheduler-map", target, line))


@TABLE.line(rf"{_COS} traffic-control-profiles \S+ (?!scheduler-map ).*")
def _rates(_: Reading, __: int) -> None:
    """Leave the rates of groups of queues out."""
