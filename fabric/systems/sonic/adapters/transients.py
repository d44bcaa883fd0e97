"""Spans in which lossless traffic lacks something while a switch changes.

Traffic is that of a DSCP which is lossless on a port before and after the change; a port that is
down has none.
"""

from __future__ import annotations

import copy
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from fabric.core.json_text import parse_json
from fabric.systems.sonic.daemons import Daemons
from fabric.systems.sonic.gcu import asic_of

if TYPE_CHECKING:
    from fabric.devices.candidate import SonicStep
    from fabric.systems.sonic.adapters.foreign import ConfigDb
    from fabric.systems.sonic.gcu import Updater

_LOSSY = "RoCE is lossy"
_LACKS = {"headroom": "lossless groups have no headroom", "watchdog": "no PFC watchdog runs"}


class Span(NamedTuple):
    """What is missing, on which ports, and for how long at most."""

    lacks: str
    ports: tuple[str, ...]
    seconds: float


class Transients:
    """A switch that changes, step by step.

    Parameters
    ----------
    running, target : dict
        CONFIG_DB before and after all steps.

    Attributes
    ----------
    now_s : float
        How long the steps so far take.
    """

    def __init__(self, running: ConfigDb, target: ConfigDb, updater: Updater) -> None:
        self.now_s = 0.0
        self._running, self._target = running, target
        self._asic = asic_of(updater, running)
        self._open: dict[tuple[str, str], float] = {}
        self._longest: dict[tuple[str, str], float] = defaultdict(float)

    @cached_property
    def _begun(self) -> tuple[Daemons, dict[tuple[str, int], frozenset[str]]]:
        """The switch before all steps, and what its traffic has before and after them.

        A switch that takes no step, as most do, needs neither.
        """
        daemons = Daemons(_copied(self._running), self._asic)
        before = daemons.lossless()
        after = Daemons(_copied(self._target), self._asic).lossless()
        return daemons, {key: before[key] & after[key] for key in before.keys() & after.keys()}

    def take(self, step: SonicStep, after: ConfigDb, takes_s: float) -> None:
        """Let the daemons see a step, at its end.

        Parameters
        ----------
        after : dict
            CONFIG_DB after the step, as the planner writes it.
        """
        self.now_s += takes_s
        daemons, _ = self._begun
        config = daemons.config
        content = parse_json(step.text)
        if step.kind == "patch":
            for table in {item["path"].split("/")[1] for item in content}:
                config[table] = _copied({table: after.get(table, {})})[table]
            content = {}
        for table, changed in content.items():
            rows = config.setdefault(table, {})
            for row, fields in changed.items():
                if step.kind == "drop":
                    rows.pop(row, None)
                else:
                    rows[row] = {**rows.get(row, {}), **fields}
        daemons.see()
        self._look()

    def _look(self) -> None:
        daemons, wanted_by_key = self._begun
        now = daemons.lossless()
        missing = {
            (port, lacks)
            for (port, dscp), wanted in wanted_by_key.items()
            if daemons.up(port)
            for lacks in _missing(wanted, now.get((port, dscp)))
        }
        for key in [key for key in self._open if key not in missing]:
            self._close(key)
        for key in missing:
            self._open.setdefault(key, self.now_s)

    def _close(self, key: tuple[str, str]) -> None:
        self._longest[key] = max(self._longest[key], self.now_s - self._open.pop(key))

    def spans(self) -> list[Span]:
        """Return the spans, those of like ports together, the longest first."""
        for key in list(self._open):
            self._close(key)
        ports = defaultdict(list)
        for (port, lacks), seconds in self._longest.items():
            ports[lacks, seconds].append(port)
        found = [
            Span(lacks, tuple(sorted(names, key=lambda port: (len(port), port))), seconds)
            for (lacks, seconds), names in ports.items()
        ]
        return sorted(found, key=lambda span: (-span.seconds, span.lacks))


def _missing(wanted: frozenset[str], now: frozenset[str] | None) -> list[str]:
    if now is None:
        return [_LOSSY]
    return [_LACKS[guard] for guard in sorted(wanted - now)]


def _copied(config: ConfigDb) -> ConfigDb:
    """Return a copy whose rows can come, go and change; their values are replaced, not changed."""
    return {
        table: {row: copy.copy(fields) for row, fields in rows.items()}
        for table, rows in config.items()
    }
