"""What `verify` and `drift` say of devices, for people: like findings of all devices once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fabric.core.likeness import like_groups, others, shape, shown_once

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.workflow.verify import Health


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
    for setting in item.settings:
        lines = [f"{item.device}: {setting}"]
        if origin := setting.origin:
            values = [f"{value.field} = {value.value} ({value.where})" for value in origin.values]
            lines.append(f"    {'; '.join([origin.subject, *values])}")
        both = map(_value, (setting.running, setting.planned))
        key = (shape(setting.path), *both, *map(shape, lines[1:]))
        yield _Said(item.device, tuple(lines), key)
    for deviation in item.deviations:
        text = f"{'not known: ' if deviation.unknown else ''}{deviation}"
        yield _Said(item.device, (text,), (shape(text),))
    for text in item.suspects:
        yield _Said(item.device, (f"{item.device}: possibly changed by: {text}",), (text,))


def _value(text: str) -> str:
    """Return what values have in common: numbers alone count as they are."""
    return text if text.isdecimal() else shape(text)
