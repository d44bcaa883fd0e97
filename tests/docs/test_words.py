"""User-visible text uses the words of the glossary; its table "Say / not" lists retired ones."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.intent.model import FabricFile
from fabric.intent.sku_model import PlatformsFile
from fabric.validate.runner import all_rules
from tests.cli import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROOT = Path(__file__).parents[2]
_GLOSSARY = _ROOT / "docs" / "reference" / "glossary.md"
_TABLE = "## Say / not"
_PAGES = (
    "README.md",
    "SECURITY.md",
    "docs/*.md",
    "docs/adr/*.md",
    "docs/reference/*.md",
    "docs/tutorials/*.md",
    "docs/ci/*.md",
    "playbooks/README.md",
)
#: Rooms whose messages are scanned.
_ROOMS = (
    "cli",
    "workflow",
    "core",
    "intent",
    "topology",
    "placement",
    "exchange",
    "validate",
    "probe",
    "prove",
    "audit",
    "report",
    "serve",
    "design",
    "platforms",
    "qos",
    "observe",
    "health",
    "devices",
    "programs",
    "systems",
    "change",
    "render",
)
#: Rooms of which only the modules themselves are scanned, not the packages inside.
_SHALLOW = ("change", "render")
#: How many words a dash in a retired phrase may stand for.
_GAP = r"(?:\s+[\w.'`/-]+){0,3}?\s+"
_FENCE = re.compile(r"^ {0,3}```.*?^ {0,3}```", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`[^`\n]*`")
_OF = re.compile(r"(?:^|[.:;|] |^- |^[0-9]+\. )Of [a-z]", re.MULTILINE)
#: Tables of docs/lossless.md that the code writes: their words are those of the rooms behind them.
_FIGURES = re.compile(r"<!-- figures: .*?<!-- end of figures -->", re.DOTALL)


def retired() -> list[tuple[str, re.Pattern[str], re.Pattern[str] | None]]:
    """Return each retired phrase with its pattern, and the pattern of what is allowed."""
    found = []
    table = _GLOSSARY.read_text().partition(_TABLE)[2]
    for line in table.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != len(("say", "not", "except")) or not line.startswith("|"):
            continue
        allowed = re.findall(r"`([^`]+)`", cells[2])
        spared = re.compile("|".join(map(_pattern, allowed)), re.IGNORECASE) if allowed else None
        found += [
            (phrase, re.compile(_pattern(phrase), re.IGNORECASE), spared)
            for phrase in re.findall(r"`([^`]+)`", cells[1])
        ]
    return found


def _pattern(phrase: str) -> str:
    parts = (r"\s+".join(map(re.escape, part.split())) for part in phrase.split(" - "))
    return rf"(?<![\w-]){_GAP.join(parts)}(?![\w-])"


@cache
def _retired() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str] | None], ...]:
    return tuple(retired())


def faults(where: str, line: int, text: str) -> Iterator[str]:
    """Yield file, line and phrase of every retired phrase in a text that starts on a line."""
    for phrase, pattern, spared in _retired():
        rest = spared.sub(lambda hit: " " * len(hit[0]), text) if spared else text
        for hit in pattern.finditer(rest):
            shown = " ".join(text[max(0, hit.start() - 30) : hit.end() + 30].split())
            yield f"{where}:{line + text.count(chr(10), 0, hit.start())}: {phrase!r} in '{shown}'"


def test_the_table_is_read() -> None:
    """A table that nobody finds would retire no word."""
    phrases = {phrase for phrase, _, _ in retired()}
    assert {"anew", "take - back", "is no"} <= phrases
    assert next(faults("x", 1, "a line\nthat takes the whole run back")).startswith("x:2:")
    assert list(faults("x", 1, "It is no NIC."))
    assert not list(faults("x", 1, "There is no NIC, and it is no longer read."))


def test_pages() -> None:
    """README and docs, outside of code; the table itself is left alone."""
    found = []
    for page in sorted(path for glob in _PAGES for path in _ROOT.glob(glob)):
        text = page.read_text()
        if page == _GLOSSARY:
            text = text.partition(_TABLE)[0]
        for code in (_FIGURES, _FENCE, _SPAN):
            text = code.sub(_blank, text)
        found += faults(str(page.relative_to(_ROOT)), 1, text)
    assert not found, "\n".join(found)


def test_no_sentence_begins_with_of() -> None:
    """Where "Of X, that of Y is Z" stands, say "the Y of X is Z"."""
    found = []
    pages = {path for glob in _PAGES for path in _ROOT.glob(glob)}
    for page in sorted(pages - set(_ROOT.glob("docs/adr/*.md"))):  # decisions are not edited
        text = page.read_text()
        for code in (_FIGURES, _FENCE, _SPAN):
            text = code.sub(_blank, text)
        hits = _OF.finditer(text)
        found += [f"{page.name}:{text.count(chr(10), 0, hit.start()) + 1}" for hit in hits]
    assert not found, "\n".join(found)


def _blank(code: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "_", code[0])


def test_help() -> None:
    """The help of every command, argument and option, as typer shows it."""
    found = []
    for leaf in tree.leaves():
        where, line = _place(leaf.command.callback)
        found += faults(where, line, leaf.command.help or "")
        for parameter in leaf.command.params:
            text = getattr(parameter, "help", None) or ""
            found += faults(f"{where}: {parameter.name}", line, text)
    assert not found, "\n".join(found)


def test_rules() -> None:
    """Title and reason of every rule in the registry, wherever its module is."""
    found = []
    for rule in all_rules():
        where, line = _place(type(rule))
        found += faults(where, line, f"{rule.title}\n{rule.why}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("model", [FabricFile, DevicesFile, HostsFile, PlatformsFile])
def test_schemas(model: type[Any]) -> None:
    """Descriptions in the JSON Schemas of the inventory."""
    where, line = _place(model)
    found = [
        fault
        for path, text in _descriptions(model.model_json_schema(), "")
        for fault in faults(f"{where}: {path}", line, text)
    ]
    assert not found, "\n".join(found)


def test_messages() -> None:
    """String literals of more than one word: errors, findings, fixes, progress lines, tables."""
    found = []
    for path in _modules():
        where = str(path.relative_to(_ROOT))
        for line, text in _literals(ast.parse(path.read_text())):
            found += faults(where, line, text)
    assert not found, "\n".join(found)


def _place(item: Any) -> tuple[str, int]:
    path = Path(inspect.getsourcefile(item) or "")
    inside = path.is_relative_to(_ROOT)
    return str(path.relative_to(_ROOT) if inside else path), inspect.getsourcelines(item)[1]


def _descriptions(node: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        if isinstance(node.get("description"), str):
            yield path, node["description"]
        for key, value in node.items():
            yield from _descriptions(value, f"{path}.{key}".strip("."))
    elif isinstance(node, list):
        for value in node:
            yield from _descriptions(value, path)


def _modules() -> Iterator[Path]:
    for room in _ROOMS:
        yield from sorted((_ROOT / "fabric" / room).rglob("*.py"))
    for room in _SHALLOW:
        yield from sorted((_ROOT / "fabric" / room).glob("*.py"))


def _literals(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and text of the string literals of more than one word, without docstrings."""
    inner: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            inner.add(id(node.value))
        elif isinstance(node, ast.JoinedStr):
            inner |= {id(part) for part in node.values}
    for node in ast.walk(module):
        if id(node) in inner:
            continue
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(getattr(part, "value", "")) if isinstance(part, ast.Constant) else "{}"
                for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = node.value
        else:
            continue
        if " " in text.strip():
            yield node.lineno, text.replace("\n", " ")
