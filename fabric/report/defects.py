"""show defects: the known defects of a switch model or a release, and a defect in full."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.plugins import systems
from fabric.core.shown import closest
from fabric.defects.book import facts
from fabric.defects.fact import OURS, OWN
from fabric.intent.inventory import load
from fabric.platforms.catalogue import Skus
from fabric.platforms.releases import has_form
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import date

    from fabric.defects.fact import Fact
    from fabric.platforms.model import Sku

_ID = re.compile(rf"({OURS}|{OWN})\d{{3}}")
#: Not a fact: the rule that judges by those of an inventory.
_RULE_OF_OWN = f"{OURS}000"


def is_defect_id(word: str) -> bool:
    """Tell whether a word is written as facts about defects are: DEF012."""
    return bool(_ID.fullmatch(word)) and word != _RULE_OF_OWN


def defects(
    sku: str = "", release: str = "", inventory: Path | None = None, system: str = ""
) -> Table:
    """Return the known defects, or those of a switch model, a system or a release.

    Parameters
    ----------
    sku : str
        Name of a switch model; empty for all.
    release : str
        A release as its vendor writes it; empty for all.
    inventory : Path, optional
        An inventory folder, whose own facts and models count too.
    system : str
        Name of a switch system; empty for all.

    Raises
    ------
    InputError
        When the inventory is wrong, there is no such model or system, the model is not of the
        system, or no system has such a release.
    """
    known, skus = _known(inventory)
    model = _model(sku, skus) if sku else None
    names = _systems(system, model, release)
    chosen = [fact for fact in known.values() if _concerns(fact, names, model, release)]
    today = datetime.now().astimezone().date()
    rows = tuple(
        (fact.id, fact.severity, _kind(fact), fact.range_words, state(fact, today), fact.title)
        for fact in chosen
    )
    return Table(("defect", "severity", "switches", "releases", "state", "title"), rows)


def defect_details(name: str, inventory: Path | None = None) -> Table:
    """Return all that a fact says.

    Raises
    ------
    InputError
        When there is no such fact, or the inventory is wrong.
    """
    known, _ = _known(inventory)
    fact = known.get(name)
    if fact is None:
        fix = "`rocefab show defects` lists them"
        if name.startswith(OWN) and inventory is None:
            fix = f"name the inventory before it: `rocefab explain INVENTORY {name}`"
        raise _refused(f"unknown defect {name!r}", fix)
    today = datetime.now().astimezone().date()
    rows = (
        ("defect", fact.id),
        ("title", fact.title),
        ("severity", fact.severity),
        ("switches", _kind(fact)),
        ("releases", fact.range_words),
        ("where", fact.condition_words),
        ("effect", fact.effect),
        ("what to do", fact.workaround),
        ("source", fact.source),
        ("checked", f"{fact.checked.first} to {fact.checked.last}"),
        ("state", state(fact, today)),
    )
    return Table(("fact", "value"), rows)


def state(fact: Fact, today: date) -> str:
    """Return whether a fact ends, and whether somebody confirmed it within a year."""
    words = list(fact.ends) or ["open"]
    if fact.is_stale(today):
        words.append(f"not confirmed since {fact.checked.last}")
    return "; ".join(words)


def _known(inventory: Path | None) -> tuple[Mapping[str, Fact], Mapping[str, Sku]]:
    if inventory is None:
        return facts(), Skus()
    intent = load(Path(inventory), str(inventory))
    return {**facts(), **{fact.id: fact for fact in intent.defects}}, intent.skus


def _model(name: str, skus: Mapping[str, Sku]) -> Sku:
    model = skus.get(name)
    if model is None:
        close = closest(name, list(skus))
        fix = f"did you mean '{close}'?" if close else "`rocefab show platforms` lists them"
        raise _refused(f"unknown switch model {name!r}", fix)
    return model


def _systems(system: str, model: Sku | None, release: str) -> list[str]:
    """Return the systems that are asked for: one, or all whose releases are so written."""
    known = sorted(systems())
    if system and system not in known:
        close = closest(system, known)
        fix = f"did you mean '{close}'?" if close else f"use one of {', '.join(known)}"
        raise _refused(f"unknown system {system!r}", fix)
    if model and system and model.nos != system:
        raise _refused(f"{model.name} runs {model.nos}, not {system}", "leave one of both out")
    names = [model.nos] if model else [system] if system else known
    if not release:
        return names
    written_so = [name for name in names if has_form(name, release)]
    if not written_so:
        whose = names[0] if len(names) == 1 else "any system"
        fix = "write it as the switch shows it, such as 202505, 5.14.0, 10.4(3)F, 4.32.2F or 23.4R2"
        raise _refused(f"{release!r} is not a release of {whose}", fix)
    return written_so


def _concerns(fact: Fact, names: Iterable[str], model: Sku | None, release: str) -> bool:
    if model and not fact.is_about(model.nos, model.asic, model.name):
        return False
    concerned = [name for name in names if name in fact.systems]
    return any(not release or fact.strikes(name, release) for name in concerned)


def _kind(fact: Fact) -> str:
    """Return the switches that have it, in words."""
    systems = ", ".join(fact.systems)
    kinds = ", ".join((*fact.asics, *fact.models))
    return f"{systems}: {kinds}" if kinds else systems


def _refused(message: str, fix: str) -> InputError:
    finding = Finding("INT022", Severity.ERROR, message, fix)
    return InputError("nothing to show", [finding])
