"""show platforms: what is known of ASIC families and of single switch models, and how well."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.core.units import bytes_to_mb
from fabric.design import matrix
from fabric.design.matrix import MARKS
from fabric.platforms.asic_catalogue import asic, asic_names
from fabric.platforms.catalogue import Skus
from fabric.platforms.facts import FACTS, GRADES
from fabric.report.model_search import ADD_A_MODEL, search
from fabric.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.platforms.asic import Asic
    from fabric.platforms.facts import Fact, Value
    from fabric.platforms.model import Pools, Sku


UNKNOWN = "unknown"
_COLUMNS = tuple(
    (
        "cell_bytes buffer_bytes capacity_gbps unicast_queues lossless_classes packing_factor "
        "response_ns safe_response_ns"
    ).split()
)


def platforms(
    name: str = "", inventory: Path | None = None, *, asics: bool = False, features: bool = False
) -> Table:
    """Return the switch models, the ASIC families, the systems, or all that is known of one model.

    Parameters
    ----------
    name : str
        A switch model, an ASIC family, a system or a maker; empty for the list.
    inventory : Path, optional
        An inventory folder, whose own models count too.
    asics : bool
        List the ASIC families in place of the switch models.
    features : bool
        List what each system supports in place of the switch models.

    Raises
    ------
    InputError
        When the inventory is wrong, or nothing has the name.
    """
    if features:
        return Table(matrix.headers(), matrix.rows())
    skus, warnings = inventory_skus(inventory)
    if name and name not in skus and (names := search(name, skus)):
        hint = f"for another switch, {ADD_A_MODEL}"
        return replace(models(skus, names), warnings=warnings, hint=hint)
    if name:
        return replace(details(name, skus), warnings=warnings)
    return replace(families() if asics else models(skus), warnings=warnings)


def inventory_skus(folder: str | Path | None) -> tuple[Skus, tuple[Finding, ...]]:
    """Return all switch models, with those of an inventory, and what is odd about its files.

    Raises
    ------
    InputError
        When the inventory is wrong.
    """
    if folder is None:
        return Skus(), ()
    from fabric.intent.inventory import load

    intent = load(Path(folder), str(folder))
    return intent.skus, intent.warnings


def models(skus: Skus, names: Iterable[str] = ()) -> Table:
    """Return the switch models, or those with some names, one line each."""
    headers = tuple(
        (
            "sku nos asic law ports gbps buffer_mb lossless_classes headroom_table pool_sizes "
            "rendered facts"
        ).split()
    )
    return Table(headers, tuple(_model_row(skus[name]) for name in names or skus))


def _model_row(model: Sku) -> tuple[object, ...]:
    family = model.asic_facts
    size = model.packet_buffer_bytes
    return (
        model.name,
        model.nos,
        model.asic,
        family.law,
        model.port_count,
        ",".join(map(str, model.all_speeds_gbps)),
        round(bytes_to_mb(size), 1) if size else UNKNOWN,
        family.integer("lossless_classes") or UNKNOWN,
        counted(len(model.headroom), "row") if model.headroom else "none published",
        "yes" if model.pools else UNKNOWN,
        _rendered(model),
        _grades(family),
    )


def _rendered(model: Sku) -> str:
    return f"no: {model.lacks} unknown" if model.lacks else "yes"


def families() -> Table:
    """Return the ASIC families; ``~`` stands before deduced, ``?`` before unconfirmed numbers."""
    rows = []
    for name in asic_names():
        family = asic(name)
        cells = (_marked(family.facts.get(column)) for column in _COLUMNS)
        rows.append((name, family.vendor, family.law, *cells, _grades(family)))
    return Table(("asic", "vendor", "law", *_COLUMNS, "facts"), tuple(rows))


def details(name: str, skus: Skus) -> Table:
    """Return every fact of a switch model or an ASIC family with its grade and source.

    Raises
    ------
    InputError
        When nothing has that name.
    """
    rows: list[tuple[object, ...]]
    if name in skus:
        grade = "inventory" if name in skus.own else "vendor"
        rows = [*_model_facts(skus[name], grade), *_family_facts(skus[name].asic_facts)]
    else:
        rows = list(_family_facts(_family(name, skus)))
    return Table(("fact", "value", "unit", "grade", "source"), tuple(rows))


def _family(name: str, skus: Skus) -> Asic:
    try:
        return asic(name)
    except KeyError as error:
        import difflib

        known = [*skus, *asic_names()]
        close = difflib.get_close_matches(name, known, n=1)
        lists = f"`rocefab show platforms` lists them; {ADD_A_MODEL}"
        fix = f"did you mean {close[0]!r}? Else {ADD_A_MODEL}" if close else lists
        message = f"unknown switch model or ASIC family {name!r}"
        finding = Finding("INT026", Severity.ERROR, message, fix)
        raise InputError("unknown model", [finding]) from error


def _model_facts(model: Sku, grade: str) -> Iterator[tuple[object, ...]]:
    lengths = sorted({length for _, length in model.headroom})
    values: tuple[tuple[str, object, str], ...] = (
        ("sku", model.name, "text"),
        ("nos", model.nos, "text"),
        ("ports", model.port_count, "count"),
        ("lanes_per_port", _lanes(model), "count"),
        ("port_names", f"{model.port(1)} to {model.port(model.port_count)}", "text"),
        ("speeds", ",".join(map(str, model.all_speeds_gbps)), "Gb/s"),
        ("breakouts", " ".join(model.all_breakouts) or UNKNOWN, "text"),
        ("gearbox", model.gearbox_ns or "none", "ns"),
        ("headroom_rows", len(model.headroom) or "none published", "count"),
        ("cable_lengths", ",".join(map(str, lengths)) or UNKNOWN, "m"),
        *([("note", model.note, "text")] if model.note else []),
        *_pool_facts(model.pools),
    )
    for fact, value, unit in values:
        known = value not in (UNKNOWN, "none", "none published")
        yield fact, value, unit, grade if known else "", model.source if known else ""


def _lanes(model: Sku) -> int | str:
    """Return the lanes of the ports; of several kinds, each with its first and last port."""
    lanes = {number: len(model.lanes(number)) for number in range(1, model.port_count + 1)}
    runs = [[*ports] for _, ports in groupby(lanes, key=lanes.__getitem__)]
    if len(runs) == 1:
        return lanes[1]
    return ", ".join(
        f"{lanes[own[0]]} ({model.port(own[0])} to {model.port(own[-1])})" for own in runs
    )


def _pool_facts(pools: Pools | None) -> Iterator[tuple[str, object, str]]:
    if pools is None:
        yield "pools", UNKNOWN, "bytes"
        return
    for field in (
        "ingress_lossless_bytes",
        "egress_lossless_bytes",
        "ingress_lossy_bytes",
        "egress_lossy_bytes",
        "shared_headroom_bytes",
    ):
        yield f"pool_{field}", getattr(pools, field) or "none", "bytes"


def _family_facts(family: Asic) -> Iterator[tuple[object, ...]]:
    yield "asic", family.name, "text", "", family.title
    yield "law", family.law, "text", "", ""
    for name, kind in FACTS.items():
        fact = family.facts.get(name)
        if fact:
            yield name, _shown(fact.value), kind.unit, fact.grade, fact.source


def _shown(value: Value) -> object:
    return ",".join(map(str, value)) if isinstance(value, tuple) else value


def _marked(fact: Fact | None) -> str:
    return f"{MARKS[fact.grade]}{_shown(fact.value)}" if fact else UNKNOWN


def _grades(family: Asic) -> str:
    counts = ((grade, family.count(grade)) for grade in GRADES)
    return ", ".join(f"{count} {grade}" for grade, count in counts if count)
