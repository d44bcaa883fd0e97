"""The tiers of the suite: what ``make test`` runs, and what ``make test-rest`` runs beside it.

A test is quick unless its folder or ``slow.txt`` says otherwise. ``make durations`` writes that
file from what the tests take; ``mechanism`` keeps a whole run of the lab in the quick tier.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterable
from functools import cache
from hashlib import sha256
from itertools import combinations
from pathlib import Path
from zlib import crc32

import pytest
from _pytest.mark.expression import Expression

ROOT = Path(__file__).parents[1]
SLOW = Path(__file__).with_name("slow.txt")
#: Folders whose tests are of one tier: programs of others, root, figures.
FOLDERS = {"judges": "judge", "reallab": "lab", "bench": "benchmark"}
TIERS = {"slow", *FOLDERS.values()}


@cache
def slow_names() -> frozenset[str]:
    """Return the slow files, tests and cases, as pytest names them."""
    lines = SLOW.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def is_slow(test: str, names: Collection[str]) -> bool:
    """Tell whether a test is named: itself, with all its cases, or with its file."""
    function = test.partition("[")[0]
    return any(name in names for name in (test, function, function.partition("::")[0]))


def tier_of_file(path: Path) -> str:
    """Return the tier of all tests of a file, or nothing."""
    parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
    folder = FOLDERS.get(parts[1], "") if len(parts) > 2 else ""
    return folder or ("slow" if "/".join(parts) in slow_names() else "")


def leaves_out(expression: str, tier: str) -> bool:
    """Tell whether ``-m`` deselects every test of a tier: its files need no import."""
    if not expression:
        return False
    compiled = Expression.compile(expression)
    # marks that a test of the tier may have, or not
    others = {*re.findall(r"\w+", expression)} - {"and", "or", "not"} - TIERS
    return not any(
        compiled.evaluate(lambda name, **_: name == tier or name in marks)  # noqa: B023
        for count in range(len(others) + 1)
        for marks in combinations(sorted(others), count)
    )


def is_named(path: Path, config: pytest.Config) -> bool:
    """Tell whether the command line names this very file."""
    named = (config.invocation_params.dir / word.partition("::")[0] for word in config.args)
    return path in named


def mark(items: Iterable[pytest.Item]) -> None:
    """Give every test the mark of its tier."""
    names = slow_names()
    for item in items:
        is_mechanism = item.get_closest_marker("mechanism") is not None
        tier = tier_of_file(item.path)
        if tier and tier != "slow":
            item.add_marker(tier)
        elif not is_mechanism and is_slow(item.nodeid, names):
            item.add_marker("slow")


def longest_first(items: list[pytest.Item]) -> None:
    """Begin with the tests that wait for minutes: at the end, all other workers would be idle."""
    items.sort(key=lambda item: item.get_closest_marker("waits") is None)


@cache
def share_of_tree(shares: int) -> int:
    """Return which share of the slow files this tree runs: its sources decide."""
    sources = sorted(path for path in (ROOT / "fabric").rglob("*.py"))
    return int(sha256(b"".join(map(Path.read_bytes, sources))).hexdigest(), 16) % shares


def is_in_share(file: str, share: int, shares: int) -> bool:
    """Tell whether a file, as pytest names it, is in a share: a lab of a file starts once."""
    return crc32(file.encode()) % shares == share


def keep_share(items: list[pytest.Item], share: int, shares: int) -> list[pytest.Item]:
    """Take slow tests of other shares out, and return them; judges and the lab stay.

    Of a ``sampled`` test each case has its own share.
    """
    others = [
        item
        for item in items
        if (
            item.get_closest_marker("slow")
            and not is_in_share(item.nodeid.partition("::")[0], share, shares)
        )
        or (
            item.get_closest_marker("sampled")
            and not is_in_share(item.nodeid.rpartition("/")[2], share, shares)
        )
    ]
    left = {id(item) for item in others}
    items[:] = [item for item in items if id(item) not in left]
    return others


def shuffle(items: list[pytest.Item], seed: int) -> None:
    """Put files in a random order, and the tests of each: a lab of a file still starts once."""
    chance = random.Random(seed)
    places = {path: chance.random() for path in sorted({item.path for item in items})}
    chance.shuffle(items)
    items.sort(key=lambda item: places[item.path])
