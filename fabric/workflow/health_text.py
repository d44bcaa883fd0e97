"""What `verify` and `drift` say of devices, for people: like findings of all devices once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.likeness import like_groups, others, shape, shown_once
from fabric.platforms import platforms

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.change.model import Change
    from fabric.workflow.verify import Health

#: Values of a table's row, and of a node, that has no fields.
_NO_VALUES = ("", "{}")


@dataclass(frozen=True)
class _Said:
    """Lines about a device, and what other devices must have in common to be left out."""

    device: str
    lines: tuple[str, ...]
    key: tuple[str, ...]


def health_lines(health: Iterable[Health], *, full: bool) -> Iterator[str]:
    """Yield what is not as planned, device by device.

    Parameters
    ----------
    full : bool
        Whether findings that differ in names and numbers alone are shown one by one.
    """
    every = [said for item in health for said in _of(item)]
    groups = [[said] for said in every] if full else like_groups(every, lambda said: said.key)
    for same in groups:
        yield from same[0].lines
        if len(same) > 1:
            yield f"    {others(len(same) - 1, {said.device for said in same})}"
    if hint := shown_once(len(groups), len(every)):
        yield hint


def _of(item: Health) -> Iterator[_Said]:
    for change, origin in zip(item.drift, item.origins, strict=True):
        runs, planned = change.before or "nothing", change.after or "nothing"
        lines = [f"{item.device}: {_drifted(change)}"]
        if origin:
            values = [f"{value.field} = {value.value} ({value.where})" for value in origin.values]
            lines.append(f"    {'; '.join([origin.subject, *values])}")
        key = (shape(change.path), _value(runs), _value(planned), *map(shape, lines[1:]))
        yield _Said(item.device, tuple(lines), key)
    for deviation in item.deviations:
        text = f"{deviation}{' (unknown)' if deviation.unknown else ''}"
        yield _Said(item.device, (text,), (shape(text),))
    for text in item.suspects:
        yield _Said(item.device, (f"{item.device}: possibly changed by: {text}",), (text,))


def _drifted(change: Change) -> str:
    """Return a difference in words, the same for every system."""
    if change.before and change.after:
        return f"{change.path}: runs {change.before}, planned {change.after}"
    word = "runs, not planned" if change.before else "planned, does not run"
    value = change.before or change.after
    # The path of a line ends with the line, or with what follows its verb; a row without fields
    # has no value.
    verbs = {"", *(platforms[name].verb for name in platforms)}
    lines = {value.removeprefix(verb) for verb in verbs}
    says_all = value in _NO_VALUES or any(
        change.path == line or change.path.endswith(f": {line}") for line in lines
    )
    return f"{word}: {change.path.rstrip('|')}{'' if says_all else f' = {value}'}"


def _value(text: str) -> str:
    """Return what values have in common: numbers alone count as they are."""
    return text if text.isdecimal() else shape(text)
