"""Where a line of the output comes from: template, inventory fields and public source.

The knowledge stands in the book of a system, or in a file beside each template, ``bgp.toml`` beside
``bgp.j2``: patterns of lines, with the inventory fields that decide their values and the public
source of their form. Where a configuration is tables, a pattern is one of ``TABLE|row|field``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from warnings import warn

from pydantic import Field

from fabric.book.book import INDENT, books
from fabric.book.tables import printed
from fabric.core.errors import RenderError
from fabric.platforms.data_file import DataModel, read_toml
from fabric.platforms.model import platforms
from fabric.render.engine import template_folder, template_folders
from fabric.render.registry import render_device
from fabric.render.scope import TENANTS_KIND

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.book.book import Book, BookRule, Chain
    from fabric.book.file import Ours
    from fabric.core.artefact import Artefact
    from fabric.design.model import DeviceDesign

_ROW = re.compile(r'\s*"((?:[^"\\]|\\.)+)": \{')
#: Of the layout before books, which one more release reads (docs/reference/stability.md).
_OLD = (
    "{}: files of explanations are deprecated; write a lines.book (docs/reference/lines.md) "
    "in their place"
)
#: Lines that separate others, and say nothing.
SEPARATORS = frozenset({"!", "#"})
#: Between the lines that hold a line, in its context.
WITHIN = " / "
#: Stands for a line that holds another one and is not known.
ANY_LINE = "?"


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why some lines of the output are as they are.

    Parameters
    ----------
    pattern : str
        Regular expression of the lines or rows.
    template : str
        Path of the template below the template folder.
    fields : tuple of str
        Inventory fields that decide the value; ``lossless.`` ones may be overridden by role,
        device and port, ``devices.`` and ``hosts.`` ones stand in the override files. Empty for
        what is fixed.
    source : str
        Public source of the form of the line.
    within : tuple of tuple of str
        Patterns of the lines that hold such a line, outermost first, for each place that it may
        stand in; empty where any place will do.
    """

    pattern: str
    template: str
    fields: tuple[str, ...]
    source: str
    within: tuple[Chain, ...] = ()

    def fits(self, holders: Sequence[str]) -> bool:
        """Tell whether a line that some lines hold is one of these; ``?`` is any line."""
        return any(
            len(chain) == len(holders)
            and all(
                holder == ANY_LINE or re.fullmatch(pattern, holder)
                for pattern, holder in zip(chain, holders, strict=True)
            )
            for chain in self.within
        )


class ExplanationRow(DataModel):
    """What is known of the lines of a template that a pattern matches; see `Explanation`."""

    pattern: str = Field(min_length=1)
    fields: tuple[str, ...] = ()
    source: str = Field(min_length=1)


class ExplanationFile(DataModel):
    """What is known of the lines of a template."""

    lines: tuple[ExplanationRow, ...] = Field(min_length=1)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of an artefact, whatever is known of it.

    ``parents`` are the lines that hold it, outermost first; on SONiC, where a line is a row,
    ``context`` is ``TABLE|row``.
    """

    artefact: str
    number: int
    text: str
    context: str
    parents: tuple[str, ...]

    @property
    def section(self) -> tuple[str, ...]:
        """The lines that hold it, or the table of a row."""
        table, bar, _ = self.context.partition("|")
        return self.parents or ((table,) if bar else ())


#: A line with what is known of it, most specific first.
ExplainedLine = tuple[PlacedLine, list[Explanation]]


def placed_lines(artefacts: Sequence[Artefact]) -> Iterator[PlacedLine]:
    """Yield every line of some files."""
    for artefact in artefacts:
        is_tables = artefact.kind == "config_db"
        for number, text, context in _lines(artefact):
            parents = () if is_tables else _holders(context)
            yield PlacedLine(artefact.path, number, text, context, parents)


def known(platform: str, line: PlacedLine, text: str) -> list[Explanation]:
    """Return what is known of a line, or of ``TABLE|row|field`` in it; most specific first."""
    return _known(platform, text, line.text, line.context, line.parents)


@cache
def entries(nos: str) -> tuple[Explanation, ...]:
    """Return all explanations of a platform, in the order of template and line.

    Raises
    ------
    RenderError
        When a template has none.
    InputError
        When a file of explanations is wrong.
    """
    if nos in books():
        book = books()[nos]
        return tuple(_of_tables(book) if book.has_tables else _of_book(book))
    explanations: list[Explanation] = []
    for folder in template_folders():
        for template in sorted((folder / nos).glob("*.j2")):
            name = f"{nos}/{template.name}"
            file = template.with_suffix(".toml")
            if not file.is_file():
                raise RenderError(f"templates/{name}: no lines.book of {nos} explains its lines")
            if folder != template_folder():
                warn(_OLD.format(file), FutureWarning, stacklevel=2)
            rows = read_toml(file, ExplanationFile).lines
            explanations += [Explanation(row.pattern, name, row.fields, row.source) for row in rows]
    return tuple(explanations)


def _of_book(book: Book) -> Iterator[Explanation]:
    """Yield what the book of a system says of the lines that templates print."""
    alike: dict[tuple[str, Ours, str, tuple[Chain, ...]], dict[str, None]] = {}
    verb = f"(?:{platforms[book.system].verb})?"
    for rule, ours in book.owned():
        for depth, within in _places(book, rule, ours) if ours.template else ():
            before = INDENT * depth if len(book.depths) > 1 else verb
            key = before, ours, rule.known.source, within
            end = "$" if rule.is_flag else "(?= |$)"
            alike.setdefault(key, {}).update({f"{words}{end}": None for words in rule.keys(ours)})
    narrowed_first = sorted(alike.items(), key=lambda item: not item[0][1].when)
    for (before, ours, source, within), patterns in narrowed_first:
        whole = next(iter(patterns)) if len(patterns) == 1 else f"(?:{'|'.join(patterns)})"
        template = f"{book.system}/{ours.template}.j2"
        yield Explanation(rf"^{before}{whole}", template, ours.fields, source, within)


def _places(book: Book, rule: BookRule, ours: Ours) -> Iterator[tuple[int, tuple[Chain, ...]]]:
    """Yield how deep a line of ours may stand, and within which lines."""
    modes = book.modes_of(rule, ours)
    for depth in dict.fromkeys(book.depths[mode] for mode in modes):
        at_depth = [mode for mode in modes if book.depths[mode] == depth]
        yield depth, tuple(chain for mode in at_depth for chain in book.holders[mode])


def _of_tables(book: Book) -> Iterator[Explanation]:
    """Yield what the book of a system says of the rows and fields that templates print."""
    alike: dict[tuple[Ours, str], dict[str, None]] = {}
    for rule, ours, pattern in printed(book):
        if ours.template:
            alike.setdefault((ours, rule.known.source), {})[pattern] = None
    for (ours, source), patterns in alike.items():
        template = f"{book.system}/{ours.template}.j2"
        yield Explanation(f"^(?:{'|'.join(reversed(patterns))})", template, ours.fields, source)


def find(nos: str, text: str, holders: Sequence[str] = ()) -> list[Explanation]:
    """Return what is known of a line, of a table, or of ``TABLE|row|field``.

    What is known of lines within these holders comes first, then the explanation whose pattern
    covers most of the text.
    """
    matches = []
    for entry in entries(nos):
        match = re.search(entry.pattern, text)
        if match:
            span = match.end() - match.start()
            matches.append((not entry.fits(holders), -span, entry))
    return [entry for *_, entry in sorted(matches, key=lambda item: item[:2])]


def explain(design: DeviceDesign, text: str) -> list[ExplainedLine]:
    """Return the lines of a switch's output that hold ``text``, each with its explanations."""
    return explain_lines(design.platform, render_device(design), text)


def explain_lines(platform: str, artefacts: Sequence[Artefact], text: str) -> list[ExplainedLine]:
    """Return the lines of rendered files that hold ``text``, each with its explanations.

    Parameters
    ----------
    platform : str
        Folder of the templates that printed them.
    text : str
        Part of a line, or ``TABLE``, ``TABLE|row``, ``TABLE|row|field`` on SONiC.
    """
    return [
        (line, known(platform, line, text))
        for line in placed_lines(artefacts)
        if line.text.strip() not in SEPARATORS
        and (text in line.text or text in line.context or _names_field(text, line))
    ]


def _holders(context: str) -> tuple[str, ...]:
    return tuple(context.split(WITHIN)) if context else ()


def _known(
    nos: str, text: str, line: str, context: str, holders: Sequence[str]
) -> list[Explanation]:
    """Try what was asked for where it is a path of its own, then the line, then what holds it."""
    asked = text if context and text.startswith(context) else ""
    if context and f'"{text}":' in line:
        asked = f"{context}|{text}"
    book = books().get(nos)
    if book and book.has_tables:
        value = re.search(rf'"([^"]+)": "[^"]*{re.escape(text)}', line)
        if text and value and not asked:
            asked = f"{context}|{value[1]}"
        return find(nos, asked) or find(nos, context or line.strip())
    part = text if text in line else ""
    if book and len(book.depths) > 1:  # a part of a line has not the depth of the line
        line, part = INDENT * len(_holders(context)) + line.strip(), ""
    for candidate in (asked, part, line, context):
        known = find(nos, candidate, holders) if candidate else []
        if known:
            return known
    return []


def _names_field(text: str, line: PlacedLine) -> bool:
    table_row, _, field = text.rpartition("|")
    return bool(table_row) and table_row == line.context and f'"{field}"' in line.text


def _lines(artefact: Artefact) -> Iterator[tuple[int, str, str]]:
    if artefact.kind == "config_db":
        yield from _config_db_lines(artefact.text)
        return
    if artefact.kind == TENANTS_KIND:  # no switch gets it
        return
    parents: list[tuple[int, str]] = []
    for number, line in enumerate(artefact.text.splitlines(), 1):
        depth = len(line) - len(line.lstrip())
        parents = [(level, text) for level, text in parents if level < depth]
        yield number, line, WITHIN.join(text for _, text in parents)
        if line.strip() not in SEPARATORS | {""}:
            parents.append((depth, line.strip()))


def _config_db_lines(text: str) -> Iterator[tuple[int, str, str]]:
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        row = _ROW.match(line)
        if row and line.endswith("{"):
            table = row[1]
            yield number, line, table
        elif row:
            yield number, line, f"{table}|{row[1]}"
