"""Steps from one CONFIG_DB to another, with what the daemons make of each."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.json_text import parse_json
from fabric.devices.candidate import NO_FILES, Files, SonicLive, SonicReload, SonicStep
from fabric.systems.sonic.adapters.transients import Transients

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fabric.devices.candidate import SonicCandidate
    from fabric.systems.sonic.adapters.foreign import ConfigDb
    from fabric.systems.sonic.gcu import Updater

#: Of the sorter: 7, 13 and 25 moves for 2, 4 and 8 ports took 4.1, 7.2 and 16.8 s of CPU
#: (sonic-net/sonic-utilities 691b1bb, measured).
MOVE_S = 0.7
#: A `config load` or a deletion; our choice, not measured on a switch: both start Python.
COMMAND_S = 2.0
#: A change that sorts for longer is told apart; our choice.
LONG_S = 600


@dataclass
class Way:
    """Steps from a configuration to another, as they are found.

    Parameters
    ----------
    state : dict
        What runs after the steps so far.
    times_s : list of float
        How long the switch works on each.
    moves : int
        Moves of the sorter in all of them.
    flaps, resets : list of str
        Ports that go down and up, and BGP neighbours that the updater removes and adds again.
    down_s : float
        The longest time that a port is down.
    reload : str
        What cannot be done while the switch runs; empty where all can.
    """

    state: ConfigDb
    target: ConfigDb
    updater: Updater
    transients: Transients
    steps: list[SonicStep] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)
    moves: int = 0
    flaps: list[str] = field(default_factory=list)
    resets: list[str] = field(default_factory=list)
    down_s: float = 0
    reload: str = ""

    @classmethod
    def begin(cls, running: ConfigDb, target: ConfigDb, updater: Updater) -> Way:
        """Return a way without steps."""
        # Rows are changed in the course of it, their values are not.
        state = {
            table: {row: copy.copy(fields) for row, fields in rows.items()}
            for table, rows in running.items()
            if rows
        }
        return cls(state, target, updater, Transients(running, target, updater))

    @property
    def takes_s(self) -> int:
        """How long the switch works on it."""
        return math.ceil(self.transients.now_s)

    def load(self, rows: ConfigDb) -> None:
        """Merge rows into the configuration."""
        back = {
            table: {
                row: {name: old[name] for name in fields if name in old}
                for row, fields in changed.items()
                if (old := self.state.get(table, {}).get(row)) is not None
            }
            for table, changed in rows.items()
        }
        known = {table: changed for table, changed in back.items() if changed}
        self._add(SonicStep("load", rows_text(rows), rows_text(known)), COMMAND_S)

    def drop(self, rows: ConfigDb) -> None:
        """Delete rows."""
        self._add(SonicStep("drop", rows_text(rows)), COMMAND_S)

    def patch(self, step: SonicStep, after: ConfigDb, moves: int) -> None:
        """Add a patch that leads to a configuration."""
        self.moves += moves
        self.state = after
        self._note(step, moves * MOVE_S)

    def _note(self, step: SonicStep, takes_s: float) -> None:
        self.steps.append(step)
        self.times_s.append(takes_s)
        self.transients.take(step, self.state, takes_s)

    def _add(self, step: SonicStep, takes_s: float) -> None:
        for table, rows in parse_json(step.text).items():
            held = self.state.setdefault(table, {})
            for row, fields in rows.items():
                if step.kind == "load":
                    held[row] = {**held.get(row, {}), **fields}
                else:
                    held.pop(row, None)
            if not held:
                del self.state[table]
        self._note(step, takes_s)

    def candidate(self, beside: Files = NO_FILES, *, ran_before: bool = False) -> SonicCandidate:
        """Return the way as a driver takes it, with files that change along with it."""
        if self.reload:
            text = json.dumps(self.target, indent=1, sort_keys=True) + "\n"
            return SonicReload(text, ran_before, beside)
        return SonicLive(tuple(self.steps), self.takes_s, beside) if self.steps else beside

    def notes(self) -> tuple[str, ...]:
        """Return what a person is to know before it is done."""
        if self.reload:
            return (f"config reload restarts all services: {self.reload} takes one",)
        sort_s = math.ceil(self.moves * MOVE_S)
        count = counted(len(self.steps), "step")
        notes = [f"{count}, about {self.takes_s} s: {'; '.join(self._told())}"]
        if sort_s > LONG_S:
            notes.append(
                f"config apply-patch sorts for more than {LONG_S // 60} minutes, in parts of which "
                "each holds what belongs together; smaller parts take as long"
            )
        if self.flaps:
            names = ", ".join(self.flaps)
            notes.append(
                f"ports that go down and up, each for about {math.ceil(self.down_s)} s and until "
                f"its link is up again: {names}"
            )
        if self.resets:
            notes.append(f"BGP sessions that drop: {', '.join(self.resets)}")
        return (*notes, *_words(self.transients))

    def _told(self) -> list[str]:
        """Return the steps in words, those that follow each other and are alike as one."""
        words = []
        for (verb, tables), group in groupby(
            zip(self.steps, self.times_s, strict=True), key=lambda pair: _title(pair[0])
        ):
            times = [seconds for _, seconds in group]
            times_told = f"{len(times)} times " if len(times) > 1 else ""
            words.append(f"{verb} {tables} ({times_told}{math.ceil(max(times))} s)")
        return words


def _title(step: SonicStep) -> tuple[str, str]:
    """Return what a step is, and the tables that it changes."""
    content = parse_json(step.text)
    paths = [item["path"].split("/")[1] for item in content] if step.kind == "patch" else content
    verb = {"load": "config load", "patch": "config apply-patch", "drop": "delete rows"}[step.kind]
    return verb, ", ".join(sorted({*paths}))


def _words(transients: Transients) -> Sequence[str]:
    return [
        f"{span.lacks} for about {math.ceil(span.seconds)} s on "
        f"{counted(len(span.ports), 'port')}: {', '.join(span.ports)}"
        for span in transients.spans()
    ]


def rows_text(rows: ConfigDb) -> str:
    """Return rows as a step has them."""
    return json.dumps(rows, indent=1, sort_keys=True) + "\n"
