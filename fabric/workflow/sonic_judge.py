"""The rules for SONiC, and its YANG models, judge what a switch will run: the merged whole."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from fabric.change.planner import DeviceVerdict
from fabric.core.findings import Severity
from fabric.defects.book import facts
from fabric.devices.candidate import SonicLive
from fabric.systems.sonic.config_db import SonicConfig
from fabric.systems.sonic.defect_steps import warnings_of
from fabric.validate.runner import run
from fabric.validate.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from fabric.change.planner import DeviceReading, Target
    from fabric.core.findings import Finding
    from fabric.defects.fact import Fact
    from fabric.platforms.model import Sku
    from fabric.systems.sonic.yang_judge import Yang
    from fabric.validate.runner import Outcome

_YANG = "SON040"
#: Whether anything is lossless is the choice of the inventory, whose own rules judge that.
_NOT_JUDGED = ("SON027",)


class SonicJudge:
    """Judges SONiC switches; others pass.

    Parameters
    ----------
    skus : mapping
        Switch models by name.
    yang : Yang
        YANG models, or what says why there are none.
    defects : sequence of Fact
        Facts of the inventory about defects.
    """

    def __init__(self, skus: Mapping[str, Sku], yang: Yang, defects: Sequence[Fact] = ()) -> None:
        self._skus = skus
        self._facts = [*facts().values(), *defects]
        self._yang = yang
        self._unvalidated: Counter[str] = Counter()

    def __call__(self, target: Target, reading: DeviceReading) -> DeviceVerdict:
        """Return the errors of what a switch will run.

        An error that runs already, in a row that is not ours, is a note: the plan leaves it.
        """
        whole, running = reading.draft.target, reading.running
        if target.connection.platform != "sonic" or whole is None:
            return DeviceVerdict()
        name, yang = running.device, replace(self._yang, release=running.system.get("release", ""))
        outcome = self._judged(name, whole, yang)
        errors = outcome.at_least(Severity.ERROR)
        self._unvalidated.update(
            item.message for item in outcome.findings if item.rule == _YANG and item not in errors
        )
        refusals = [f"rule {rule} could not run ({reason})" for rule, reason in outcome.broken]
        notes = self._defects(reading)
        before = self._judged(name, running.config, yang).findings if errors else ()
        known = {(item.rule, item.field, item.port) for item in before}
        intended = json.loads(next(i for i in target.artefacts if i.kind == "config_db").text)
        for item in errors:
            is_old = (item.rule, item.field, item.port) in known
            if is_old and not _is_ours(item, intended):
                notes.append(f"unchanged on the switch: {_line(item)}")
            else:
                refusals.append(_line(item))
        return DeviceVerdict(tuple(refusals), tuple(notes))

    def _defects(self, reading: DeviceReading) -> list[str]:
        """Return the known defects that steps of a change would set off."""
        running, candidate = reading.running, reading.draft.candidate
        if not isinstance(candidate, SonicLive):
            return []
        release = running.system.get("release", "")
        today = datetime.now().astimezone().date()
        asked = (running.config, candidate.steps, self._facts, release, self._skus, today)
        return list(warnings_of(*asked))

    def tell(self, progress: Callable[[str, str], None]) -> None:
        """Say what YANG could not judge, and of how many switches."""
        for message, switches in sorted(self._unvalidated.items()):
            plural = "switch" if switches == 1 else "switches"
            progress("", f"{message} ({switches} {plural})")

    def _judged(self, device: str, config: Mapping[str, Any], yang: Yang) -> Outcome:
        world = World(
            # no line, but the name of table and row
            configurations=(SonicConfig(device, config, {}),),
            skus=self._skus,
            yang=yang,
            row_by_row=True,
        )
        return run(world, _NOT_JUDGED)


def _is_ours(finding: Finding, intended: Mapping[str, Any]) -> bool:
    """Tell whether a row is of the inventory; what names no table and no port counts as ours."""
    table, *parts = finding.field.split("|")
    ports = [name for part in parts or [finding.port] for name in part.split(",")]
    ports = [name for name in ports if name.startswith("Ethernet")]
    if ports:
        return any(name in intended.get("PORT", {}) for name in ports)
    if not parts:
        return not table or table in intended
    return parts[0] in {row.partition("|")[0] for row in intended.get(table, {})}


def _line(finding: Finding) -> str:
    place = finding.field or finding.port
    fix = f" ({finding.fix})" if finding.fix else ""
    return f"{place}: {finding.message}{fix} [{finding.rule}]".removeprefix(": ")
