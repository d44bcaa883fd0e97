"""Nouns take the form that their number needs."""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabric.core.counts import counted, noun

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "fabric"
#: What may stand behind a noun of a call of `counted`: "pair of hosts is".
_BEHIND = frozenset(
    ("of per is was has does needs comes pauses shares reuses differs follows").split()
)
_TEXT, _VERB, _RATE = "a text", "a verb follows", "a rate, which has a fraction"
#: Values in front of a plural that are never the number 1, by module: why.
ALLOWED = {
    ("audit/ends.py", "_most(sets, usual)"): _TEXT,
    ("audit/ends.py", "_most(sets.values(), usual)"): _TEXT,
    ("health/verdicts/buffers.py", "rate"): _RATE,
    ("health/verdicts/cables.py", "window.per_s('fec_corrected')[row]"): _RATE,
    ("health/verdicts/pauses.py", "ends.title(row)"): _VERB,
    ("observe/configuration/frr.py", "name"): _TEXT,
    ("placement/engine/availability.py", "name"): _VERB,
    ("placement/gid_search.py", "version"): "IPv4 or IPv6",
    ("placement/k8s/cluster.py", "nic.vendor"): _TEXT,
    ("placement/place.py", "len(units)"): "one unit has another sentence",
    ("prove/batfish/change_gate.py", "words"): _TEXT,
    ("systems/junos/rules.py", "bgp.equal_paths"): "more than the 16 of Junos",
    ("systems/sonic/rules/design.py", "bgp.equal_paths"): "more than the 64 of SONiC",
    ("qos/dcqcn/recommend.py", "most"): "flows that share a port",
    ("qos/simulate/start.py", "_or(_FLOWS)"): _TEXT,
    ("report/deadlock.py", "needed"): "a text that ends with N of M",
    ("report/long_haul.py", "figures"): _TEXT,
    ("report/simulation_plot.py", "len(at)"): "one NIC has another text",
    ("report/storm_watchdogs.py", "title"): _TEXT,
    ("report/whatif.py", "parts"): "what is split has two or more",
    ("systems/host/rules/gpus.py", "count"): "above 1 where it is said",
    ("systems/host/rules/names.py", "fabric.nic_ports"): "above 1 where it is said",
    ("systems/sonic/rules/pools.py", "' and '.join(sorted(types))"): _TEXT,
    ("systems/sonic/rules/rows.py", "field"): _VERB,
    ("systems/sonic/rules/rows.py", "table"): _TEXT,
    ("topology/capacity.py", "core.name"): _TEXT,
    ("topology/capacity.py", "leaf.name"): _TEXT,
    ("topology/capacity.py", "spine.name"): _TEXT,
    ("workflow/demo.py", "gpus"): "one GPU has another text",
    ("workflow/demo.py", "4 * gpus"): "four or more",
}
#: A constant, which its author knows, and what has the noun already.
_KNOWN = re.compile(r"_?[A-Z_]+( \+ 1)?|(counted|noun)\(.*\)")


@pytest.mark.parametrize(
    ("number", "word", "text"),
    [
        (1, "leaf", "1 leaf"),
        (2, "leaf", "2 leaves"),
        (0, "policy", "0 policies"),
        (2000, "switch", "2,000 switches"),
        (3, "super-spine", "3 super-spines"),
    ],
)
def test_a_number_with_its_noun(number: int, word: str, text: str) -> None:
    assert counted(number, word) == text


@cache
def _trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_bytes()) for path in sorted(PACKAGE.rglob("*.py"))}


def _calls(tree: ast.Module) -> Iterator[list[str]]:
    """Yield the words of each noun that a module counts."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name("counted" | "noun"), args=[_, ast.Constant(str() as words), *_]
            ):
                yield words.split()


@cache
def _vocabulary() -> tuple[frozenset[str], frozenset[str]]:
    """Return the plurals of all that the package counts, and the words in front of them."""
    plurals, before = set(), set()
    for tree in _trees().values():
        for words in _calls(tree):
            end = next((at for at, word in enumerate(words) if word in _BEHIND), len(words))
            if end:
                plurals.add(noun(2, words[end - 1]))
                before.update(words[: end - 1])
    return frozenset(plurals), frozenset(before)


def _bare(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield each value of an f-string that stands in front of a plural, and the plural."""
    plurals, before = _vocabulary()
    for node in ast.walk(tree):
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in pairwise(node.values):
            match value, text:
                case ast.FormattedValue(conversion=-1), ast.Constant(str() as words):
                    found = re.match(r" (?:([a-z-]+) )?([A-Za-z-]+)\b", words)
                    if found and found[2] in plurals and (not found[1] or found[1] in before):
                        yield ast.unparse(value.value), found[0].strip()


def test_no_number_stands_in_front_of_a_plural() -> None:
    """Use `counted(number, "switch")`; what is never 1 has a row in `ALLOWED`."""
    bare = {
        (path.relative_to(PACKAGE).as_posix(), value): words
        for path, tree in _trees().items()
        for value, words in _bare(tree)
        if not _KNOWN.fullmatch(value)
    }
    assert {place: words for place, words in bare.items() if place not in ALLOWED} == {}
    assert set(ALLOWED) <= set(bare), "cases that are gone"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('f"{len(rows)} switches"', ["len(rows)"]),
        ('f"at {n:,} other ports of it"', ["n"]),
        ("f\"{counted(n, 'port')}, {name} has ports, {size} bytes\"", []),
    ],
)
def test_what_stands_in_front_of_a_plural(source: str, found: list[str]) -> None:
    assert [value for value, _ in _bare(ast.parse(source))] == found
