"""Forwarding classes, classifiers and congestion notification of a Junos configuration."""

from __future__ import annotations

import re

from fabric.intent.quantities import CODE_POINTS
from fabric.observe.configuration.lossless import Use, Watchdog
from fabric.systems.junos.platforms import CONTROL_CLASS, DEFAULT_CLASS, DEFAULT_WATCHDOG_MS
from fabric.systems.junos.reading_lossless.model import (
    LINES,
    LosslessLines,
    Notification,
    Point,
    Tag,
)

#: Classes that switches have without a line (juniper.net, default forwarding classes of the QFX).
_BUILT_IN = {DEFAULT_CLASS, CONTROL_CLASS, "fcoe", "no-loss", "mcast"}
#: Code point aliases that need no line; be, nc1 and nc2 as Junos has them.
_DSCPS = {"be": 0, "nc1": 48, "nc2": 56, **CODE_POINTS}
_CLASS_WORDS = re.compile(r"((queue-num [0-7]|no-loss|pfc-priority [0-7])( |$))+")


@LINES.means("alias")
def _alias(reading: LosslessLines, _: int, name: str, bits: str) -> None:
    reading.aliases[name] = int(bits, 2)


def _dscp(reading: LosslessLines, word: str) -> int:
    """Return a DSCP that is written as six bits or as a name."""
    if re.fullmatch(r"[01]{6}", word):
        return int(word, 2)
    return {**_DSCPS, **reading.aliases}[word]


def use_class(reading: LosslessLines, name: str, line: int) -> None:
    """Note that a line needs a forwarding class."""
    if name not in _BUILT_IN:
        reading.switch.used.append(Use("forwarding-class", name, line))


@LINES.means("class")
def _class(reading: LosslessLines, line: int, name: str, words: str) -> None:
    if not _CLASS_WORDS.fullmatch(words):
        raise ValueError(words)
    if name not in reading.named_classes | _BUILT_IN:
        reading.named_classes.add(name)
        reading.switch.defined.append(Use("forwarding-class", name, line))
    one = reading.forwarding_class(name)
    for word, value in re.findall(r"(no-loss|queue-num|pfc-priority) ?(\d?)", words):
        if word == "no-loss":
            one.no_loss = True
        elif word == "queue-num":
            one.queue = int(value)
        else:
            one.priority = int(value)


@LINES.means("classifier")
def _classifier(
    reading: LosslessLines, line: int, name: str, target: str, loss: str, word: str
) -> None:
    point = Point(_dscp(reading, word), target, loss, line)
    if name not in reading.classifiers:
        reading.switch.defined.append(Use("classifier", name, line))
    reading.classifiers.setdefault(name, []).append(point)
    use_class(reading, target, line)


@LINES.means("import")
def _import(reading: LosslessLines, line: int, name: str, base: str) -> None:
    reading.imports[name] = base
    if base != "default":
        reading.switch.used.append(Use("classifier", base, line))


@LINES.means("tag")
def _tag(reading: LosslessLines, line: int, name: str, target: str, loss: str, bits: str) -> None:
    if name not in reading.tags:
        reading.switch.defined.append(Use("ieee-802.1 classifier", name, line))
    reading.tags.setdefault(name, {})[int(bits, 2)] = Tag(target, loss)
    use_class(reading, target, line)


def _profile(reading: LosslessLines, name: str, line: int) -> Notification:
    if name not in reading.notifications:
        kind = "congestion-notification-profile"
        reading.switch.defined.append(Use(kind, name, line))
    return reading.notification(name, line)


@LINES.means("input")
def _input(reading: LosslessLines, line: int, name: str, bits: str) -> None:
    _profile(reading, name, line).dscps[_dscp(reading, bits)] = line


@LINES.means("tagged_input")
def _tagged_input(reading: LosslessLines, line: int, name: str, bits: str) -> None:
    _profile(reading, name, line).code_points[int(bits, 2)] = line


@LINES.means("cable")
def _cable(reading: LosslessLines, line: int, name: str, metres: str) -> None:
    _profile(reading, name, line).longest_m = int(metres)


@LINES.means("output")
def _output(reading: LosslessLines, line: int, name: str, bits: str, queue: str) -> None:
    stops = _profile(reading, name, line).stops
    stops.setdefault(int(bits, 2), set()).add(int(queue))


@LINES.means("watchdog")
def _watchdog(reading: LosslessLines, line: int, name: str, **words: str) -> None:
    profile = _profile(reading, name, line)
    if profile.watchdog is None:
        poll, detection, recovery = DEFAULT_WATCHDOG_MS
        profile.poll_ms, profile.polls = poll, detection // poll
        profile.watchdog = Watchdog(line, action="drop", restoration_ms=recovery)
    watchdog = profile.watchdog
    watchdog.action = words.get("action", watchdog.action)
    if "recovery" in words:
        watchdog.restoration_ms = float(words["recovery"])
    if "poll" in words:
        profile.poll_ms = float(words["poll"])
    if "polls" in words:
        profile.polls = float(words["polls"])
    watchdog.poll_ms = profile.poll_ms
    watchdog.detection_ms = profile.poll_ms * profile.polls
