"""Drop profiles, schedulers and their maps of a Junos configuration."""

from __future__ import annotations

import re

from fabric.observe.configuration.lossless import Use, Value
from fabric.systems.junos.reading_lossless.classes import use_class
from fabric.systems.junos.reading_lossless.model import LINES, DropProfile, LosslessLines, Scheduler


def _drop_profile(reading: LosslessLines, name: str, line: int) -> DropProfile:
    if name not in reading.drop_profiles:
        reading.switch.defined.append(Use("drop-profile", name, line))
    return reading.drop_profiles.setdefault(name, DropProfile(line))


_POINT = r"(fill-level|drop-probability) (\d+(?:\.\d+)?)(?: |$)"


@LINES.means("interpolate")
def _interpolate(reading: LosslessLines, line: int, name: str, words: str) -> None:
    if not re.fullmatch(f"({_POINT})+", words):
        raise ValueError(words)
    profile = _drop_profile(reading, name, line)
    for word, value in re.findall(_POINT, words):
        (profile.levels if word == "fill-level" else profile.chances).append(float(value))


@LINES.means("step")
def _step(reading: LosslessLines, line: int, name: str, level: str, chance: str) -> None:
    profile = _drop_profile(reading, name, line)
    profile.levels.append(float(level))
    profile.chances.append(float(chance))


def _scheduler(reading: LosslessLines, name: str, line: int) -> Scheduler:
    if name not in reading.schedulers:
        reading.switch.defined.append(Use("scheduler", name, line))
    return reading.scheduler(name, line)


@LINES.means("drop_map")
def _drop_map(reading: LosslessLines, line: int, name: str, loss: str, profile: str) -> None:
    _scheduler(reading, name, line).profiles[loss] = profile
    reading.switch.used.append(Use("drop-profile", profile, line))


@LINES.means("ecn")
def _ecn(reading: LosslessLines, line: int, name: str) -> None:
    _scheduler(reading, name, line).ecn = True


@LINES.means("percent")
def _percent(reading: LosslessLines, line: int, name: str, percent: str) -> None:
    _scheduler(reading, name, line).percent = Value(int(percent), line)


@LINES.means("priority")
def _priority(reading: LosslessLines, line: int, name: str, priority: str) -> None:
    scheduler = _scheduler(reading, name, line)
    scheduler.strict = line if priority == "strict-high" else 0


@LINES.means("scheduler")
def _exists(reading: LosslessLines, line: int, name: str) -> None:
    _scheduler(reading, name, line)


@LINES.means("map")
def _map(reading: LosslessLines, line: int, name: str, target: str, scheduler: str) -> None:
    if name not in reading.maps:
        reading.switch.defined.append(Use("scheduler-map", name, line))
    reading.maps.setdefault(name, {})[target] = scheduler
    reading.switch.used.append(Use("scheduler", scheduler, line))
    use_class(reading, target, line)


@LINES.means("control_profile")
def _control_profile(reading: LosslessLines, line: int, name: str, target: str) -> None:
    reading.control_profiles[name] = target
    reading.switch.used.append(Use("scheduler-map", target, line))


@LINES.means("buffer_part")
def _buffer_part(reading: LosslessLines, line: int, side: str, part: str, percent: str) -> None:
    reading.switch.buffer_parts.setdefault(side, {})[part] = Value(int(percent), line)
