"""explain: what is known of lines, for a person."""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING

from fabric.book.book import INDENT
from fabric.core.counts import counted
from fabric.core.likeness import like_groups, shape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fabric.report.explain import Answer

#: A number that is no part of a name or an address.
_NUMBER = re.compile(r"(?<=\s)\d+(?!\S)")
#: Like lines with more numbers than these are shown once; our choice.
_MOST_NUMBERS = 3


def texts(answers: Iterable[Answer]) -> Iterator[str]:
    """Yield answers for a person, those with the same reasons together.

    Lines that differ in names and numbers, and stand in sections that do, are shown once.
    """

    def alike(answer: Answer) -> tuple[object, ...]:
        return *map(shape, (*answer.section, answer.line)), _reasons(answer)

    groups = (group for likes in like_groups(answers, alike) for group in _by_number(likes))
    for reasons, same in groupby(groups, key=lambda group: _reasons(group[0])):
        yield "\n".join([*(line for group in same for line in _places(*group)), *reasons])


def _by_number(likes: list[Answer]) -> list[list[Answer]]:
    """Return like lines, apart where they have a few different numbers: ``queue 0`` and 3."""
    groups = like_groups(
        likes, lambda answer: tuple(_NUMBER.findall(" ".join((*answer.section, answer.line))))
    )
    return groups if len(groups) <= _MOST_NUMBERS else [likes]


def _places(first: Answer, *more: Answer) -> list[str]:
    """Return where a line stands, and the line with what holds it."""
    end = f", and {counted(len(more), 'line')} like it" if more else ""
    lines = enumerate((*first.section, first.line))
    held = [f"    {INDENT * depth}{line}" for depth, line in lines if line]
    return [f"{first.subject}{end}", *held]


def _reasons(answer: Answer) -> tuple[str, ...]:
    """Return what decides a line."""
    lines = [f"  value     {v.field} = {v.value}  ({v.where})" for v in answer.values]
    if not answer.values:
        lines.append("  value     no field of the inventory decides it")
    if answer.note:
        lines.append(f"  note      {answer.note}")
    if answer.rules:
        lines.append(f"  rules     {', '.join(answer.rules)}")
    if answer.template:
        lines.append(f"  template  {answer.template}")
    return (*lines, f"  source    {answer.source}") if answer.source else tuple(lines)
