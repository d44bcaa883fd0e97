"""What a difference takes away of the protection of lossless traffic; its figures show that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.counts import counted
from fabric.report.diff.figures import ABSENT, BEFORE_PAUSE
from fabric.report.diff.model import Consequence
from fabric.report.diff.risks import DiffRisk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fabric.report.diff.model import Edit, Figure

#: Risk of a change after which less ends congestion, or a storm of pauses, than before.
LESS_PROTECTION = DiffRisk.LESS_PROTECTION.value
#: From which factor on a threshold or time counts; our choice. Smaller steps are tuning.
FACTOR = 2
#: What a value of a figure means, after another one.
_TURNED_OFF = {
    ("pfc", "false"): "PFC off",
    ("watchdog.enabled", "false"): "PFC watchdog off",
    ("watchdog.action", "alert"): "PFC watchdog reports storms and does not end them",
    (f"kmin{BEFORE_PAUSE}", "false"): "PFC pauses before ECN marks",
    (f"kmax{BEFORE_PAUSE}", "false"): "PFC pauses before ECN marks every packet",
}
#: Figures that protect less where they grow.
_LATER = {
    "kmin_bytes": "ECN marks later",
    "kmax_bytes": "ECN marks later",
    "watchdog.detection_ms": "PFC watchdog acts later",
}
#: The same, where they fall.
_LESS = {"pmax_percent": "ECN marks less"}


def less_protection(figures: Sequence[Figure]) -> Iterator[Consequence]:
    """Yield which figures take protection away, with the number of ports and their roles."""
    groups: dict[str, list[Figure]] = {}
    removed = _removed_classes(figures)
    for one in figures:
        if words := removed.get(one.figure) or protects_less(one.figure, one.before, one.after):
            groups.setdefault(words, []).append(one)
    for words, rows in groups.items():
        what, _, figure = words.partition(": ")
        roles = ", ".join(dict.fromkeys(one.role for one in rows))
        ports = counted(sum(one.ports for one in rows), "port")
        detail = f": {figure}" if figure else ""
        yield Consequence(LESS_PROTECTION, f"{what} on {ports} ({roles}){detail}")


def pauses_first(figures: Iterable[Figure]) -> Iterator[str]:
    """Yield where PFC now pauses queues before ECN marks them: no single edit tells that."""
    order = [one for one in figures if one.figure.endswith(BEFORE_PAUSE)]
    yield from (one.words for one in less_protection(order))


def _removed_classes(figures: Sequence[Figure]) -> dict[str, str]:
    """Return the figure of each class that is gone, with what to say."""
    priorities = [one for one in figures if one.figure.endswith(".pfc_priority")]
    gone = {one.figure for one in priorities if one.after == ABSENT}
    return {name: f"class {name.partition('.')[0]} no longer lossless" for name in gone}


def weakening(edits: Iterable[Edit]) -> Iterator[str]:
    """Yield what protects less after some edits, once for all that do the same, with the first."""
    worse: dict[str, list[Edit]] = {}
    for edit in edits:
        if words := protects_less(*_values(edit)):
            worse.setdefault(words.partition(": ")[0], []).append(edit)
    for what, rows in worse.items():
        more = f" (and {len(rows) - 1:,} more)" if len(rows) > 1 else ""
        yield f"{what}: {rows[0].change}{more}"


def edits_less_protecting(edits: Sequence[Edit], before: str) -> Iterator[Consequence]:
    """Yield which edits of an inventory that is not valid take protection away, or may.

    Parameters
    ----------
    before : str
        How messages name that inventory, whose design nothing is known of.
    """
    yield from (Consequence(LESS_PROTECTION, words) for words in weakening(edits))
    values = [(edit.field, _values(edit)) for edit in edits]
    unjudged = [field for field, of in values if not protects_less(*of) and not _is_judged(*of)]
    if unjudged:
        number = f"{counted(len(unjudged), 'changed value')}, such as {unjudged[0]},"
        words = f"{number} may protect less: {before} is not valid; review each value"
        yield Consequence(LESS_PROTECTION, words)


def _values(edit: Edit) -> tuple[str, str, str]:
    """Return the figure that an edit changes, with the watchdog's name, and its two values."""
    *above, last = edit.field.split(".")
    name = f"watchdog.{last}" if above[-1:] == ["watchdog"] else last
    return name, edit.before or "", edit.after or ""


def _is_judged(name: str, before: str, after: str) -> bool:
    """Tell whether two values of a figure are enough to see that it does not protect less."""
    if any(name == figure for figure, _ in _TURNED_OFF):
        return bool(before and after)
    return name in {*_LATER, *_LESS} and before.isdigit() and after.isdigit()


def protects_less(figure: str, before: str, after: str) -> str:
    """Return what protects less, and by which values; empty where nothing does."""
    of_class = figure.rpartition(".")[2]
    if off := _TURNED_OFF.get((figure, after)) or _TURNED_OFF.get((of_class, after)):
        return off
    name = figure if figure in _LATER else of_class
    if not (before.isdigit() and after.isdigit()):
        return ""
    was, now = int(before), int(after)
    grows, falls = now >= FACTOR * was, FACTOR * now <= was
    what = _LATER.get(name) if grows else _LESS.get(name) if falls else None
    return f"{what}: {figure} {was:,} -> {now:,}" if what else ""
