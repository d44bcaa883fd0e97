"""Makes docs/reference/platforms.md: each system's features, with sources and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.design.features import FEATURES
from fabric.design.matrix import cell_text, headers, models_of, rows
from fabric.platforms import platforms
from fabric.platforms.features import features_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.platforms.features import FeatureCell, Limit

_HEAD = """\
# Switch systems and their features

Generated from the `features.toml` of each system; do not edit. `rocefab show platforms --features`
prints the same table.

`yes`: rocefab renders it. `~`: its form is deduced from other files of the vendor. `?`: it is not
confirmed, or not on every model; try it on one switch first. `own`: the switch keeps its own
setting, and `rocefab check` reports a value that has no effect. `no`: rocefab does not render it,
and a design that uses it is an error of `rocefab check`. `*`: not on every model, or not every
value, see below.

"""


def platforms_page() -> str:
    """Return the page: the matrix, and for each system the source of each cell and its limits."""
    parts = [_HEAD, _table(headers(), rows())]
    for system in platforms:
        own = features_of(system)
        parts.append(f"\n## {platforms[system].title}\n\n")
        parts.append(f"Grade: {platforms[system].grade}. Name in `features.toml`: `{system}`.\n\n")
        cells = [
            (one.title, cell_text(cell), _where(cell), cell.source)
            for one in FEATURES
            if (cell := own.features.get(one.name))
        ]
        parts.append(_table(("feature", "", "where", "source"), cells))
        limits = [
            (rule.id, rule.severity, rule.title, "; ".join(map(_bound, rule.limits)))
            for rule in own.rules
        ]
        if limits:
            parts += ["\n", _table(("rule", "severity", "limit", "values"), limits)]
    return "".join(parts)


def _where(cell: FeatureCell) -> str:
    parts = [models_of(cell), f"values: {', '.join(cell.values)}" if cell.values else ""]
    reported = f"`check` reports its use: {cell.rule or 'SYS002'}" if not cell.rendered else ""
    since = f"from {cell.since}" if cell.since else ""
    open_ones = ", ".join(cell.unconfirmed_asics)
    unconfirmed = f"not confirmed: ASIC {open_ones}" if open_ones else ""
    texts = (*parts, unconfirmed, since, cell.note, cell.absent, reported)
    return "; ".join(part for part in texts if part)


def _range(limit: Limit) -> str:
    """Return a range in words; where the limit is about a multiple, that of its factor."""
    ends = " to ".join(f"{end:,}" for end in dict.fromkeys(limit.range or ()))
    base = limit.multiple_of.rpartition(".")[2]
    return (
        f"{ends} times {base}" if ends and base else ends or (f"multiple of {base}" if base else "")
    )


def _bound(limit: Limit) -> str:
    """Return a limit in words, such as ``ecn.kmin_bytes: 0 to 52,428,800``."""
    names = ", ".join(field.removeprefix("lossless.") for field in limit.fields)
    bounds = [
        _range(limit),
        f"not {limit.reserved[0]} to {limit.reserved[1]}" if limit.reserved else "",
        f"multiple of {limit.step}" if limit.step else "",
        " or ".join(str(value) or "none" for value in limit.values),
        f"without {', '.join(limit.without.values())}" if limit.without else "",
        f"pattern `{limit.pattern}`" if limit.pattern else "",
        f"at most {limit.longest} characters" if limit.longest else "",
        f"at most {limit.most}" if limit.most else "",
        "one value for all of them" if limit.equal else "",
        "one value for the switch" if limit.per_switch else "",
        "not rendered" if limit.written else "",
        f"not {_few(limit.excluded)}" if limit.excluded else "",
    ]
    models = models_of(limit)
    said = " and ".join(bound for bound in bounds if bound)
    return f"{names}: {said}{f' ({models})' if models else ''}" if said else ""


def _few(values: tuple[object, ...]) -> str:
    few = 3
    return " or ".join(map(str, values)) if len(values) <= few else f"{values[0]} to {values[-1]}"


def _table(head: tuple[str, ...], body: Iterable[tuple[str, ...]]) -> str:
    lines = (head, ("---",) * len(head), *body)
    rows_of_cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows_of_cells)
