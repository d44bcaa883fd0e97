"""Facts about known defects that a plan sets off: they are asked of each step, not of the ends."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, NamedTuple

import jsonpatch

from fabric.defects.fact import fits
from fabric.systems.sonic.config_db import SonicConfig
from fabric.systems.sonic.defects import judged
from fabric.validate.defects import is_like
from fabric.validate.world import World

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import date

    from fabric.defects.conditions import StepTest
    from fabric.defects.fact import Fact
    from fabric.devices.candidate import SonicStep
    from fabric.platforms.model import Sku
    from fabric.systems.sonic.config_db import ConfigDb


class Event(NamedTuple):
    """What a step does to a field; ``field`` is empty for a row without any."""

    change: str
    table: str
    key: str
    field: str
    value: str


def warnings_of(
    running: ConfigDb,
    steps: Iterable[SonicStep],
    facts: Iterable[Fact],
    release: str,
    skus: Mapping[str, Sku],
    today: date,
) -> Iterator[str]:
    """Yield what is known of a change in steps, once for each fact.

    Parameters
    ----------
    running : dict
        CONFIG_DB before the first step.
    release : str
        What the switch says that it runs; empty where it says nothing.
    today : date
        A fact that nobody confirmed for too long until then says so.
    """
    switch = judged(SonicConfig("", running), World(skus=skus))
    relevant = [fact for fact in facts if fact.plan and switch and is_like(fact, switch)]
    concerned = [fact for fact in relevant if fact.strikes("sonic", release) is not False]
    happened = list(events(running, steps)) if concerned else []
    for fact in concerned:
        hits = (event for event in happened if any(_is(event, test) for test in fact.plan))
        if event := next(hits, None):
            place = "|".join(part for part in event[1:4] if part)
            title = f"{fact.title}{fact.age_words(today)}"
            yield f"{place}: known defect: {title}; {fact.workaround} [{fact.id}]"


def events(running: ConfigDb, steps: Iterable[SonicStep]) -> Iterator[Event]:
    """Yield what each step does to the fields of a CONFIG_DB."""
    before = running
    for step in steps:
        after = _after(before, step)
        yield from _differences(before, after)
        before = after


def _after(before: ConfigDb, step: SonicStep) -> ConfigDb:
    content = json.loads(step.text)
    if step.kind == "patch":
        patched: ConfigDb = jsonpatch.apply_patch(before, content)
        return patched
    after = copy.deepcopy(before)
    for table, rows in content.items():
        for key, row in rows.items():
            if step.kind == "drop":
                after.get(table, {}).pop(key, None)
            else:
                after.setdefault(table, {}).setdefault(key, {}).update(row)
    return after


def _differences(before: ConfigDb, after: ConfigDb) -> Iterator[Event]:
    for table in sorted(before.keys() | after.keys()):
        old_rows, new_rows = before.get(table, {}), after.get(table, {})
        if old_rows == new_rows:
            continue
        for key in sorted(old_rows.keys() | new_rows.keys()):
            old, new = old_rows.get(key), new_rows.get(key)
            if old != new:
                yield from _of_row(table, key, old, new)


def _of_row(
    table: str, key: str, old: Mapping[str, object] | None, new: Mapping[str, object] | None
) -> Iterator[Event]:
    fields = sorted((old or {}).keys() | (new or {}).keys()) or [""]
    for field in fields:
        had, has = (old or {}).get(field), (new or {}).get(field)
        if had != has or not field:
            change = "added" if had is None and new is not None else "changed"
            change = "removed" if has is None and old is not None else change
            yield Event(change, table, key, field, str(has or ""))


def _is(event: Event, test: StepTest) -> bool:
    return (
        test.change in ("any", event.change)
        and fits(event.table, test.table)
        and fits(event.key, test.key)
        and fits(event.field, test.field)
        and (not test.equals or event.value in test.equals)
    )
