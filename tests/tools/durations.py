"""The list of slow tests, from what they take.

Usage::

    python -m tests.tools.durations write FOLDER   # writes tests/slow.txt; `make durations` does it
    python -m tests.tools.durations far FOLDER     # names tests that are far from their tier

``FOLDER`` has what the plugin of ``recorder`` wrote. Times are seconds of processor time: another
load on the machine moves them little. A test changes its tier only where it is clearly beyond the
limit, so that the list stays what it is from run to run.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path

from tests.tiers import FOLDERS, SLOW, is_slow, slow_names
from tests.tools.recorder import PARTS

#: What a quick test may take; the quick tier has 450 s for all of them.
LIMIT_S = 0.3
#: A test goes to the other tier beyond this share of the limit, and is far from its own beyond FAR.
MOVES, FAR = 1.25, 4.0
HEAD = """\
# Slow tests: files, tests and cases that `make test-rest` runs and `make test` does not.
# Written by `make durations`; marks `mechanism` in the tests say what stays quick all the same.
"""


def taken_s(folder: Path, *, mechanisms: bool = True) -> dict[str, float]:
    """Return the processor time of each test; the shortest where several runs are recorded."""
    times: dict[str, float] = {}
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if row.get("mechanism") and not mechanisms:
                continue
            time_s = sum(row.get(f"{part}_cpu_s", 0.0) for part in PARTS)
            times[row["test"]] = min(time_s, times.get(row["test"], time_s))
    return times


def slow_of(times: dict[str, float], before: Collection[str]) -> set[str]:
    """Return the tests that are slow now: by themselves, or by the mean of all cases."""
    cases: dict[str, list[float]] = defaultdict(list)
    for test, time_s in times.items():
        cases[test.partition("[")[0]].append(time_s)
    means = {name: sum(values) / len(values) for name, values in cases.items()}
    return {
        test
        for test, time_s in times.items()
        if max(time_s, means[test.partition("[")[0]])
        > LIMIT_S * (1 / MOVES if is_slow(test, before) else MOVES)
    }


def _above(test: str) -> list[str]:
    """Return the names that stand for a test and others: its file, then its function."""
    function = test.partition("[")[0]
    return [function.partition("::")[0], *([function] if function != test else [])]


def shortest(slow: Collection[str], tests: Iterable[str]) -> list[str]:
    """Return names for exactly these tests: a file or a test where all below it are slow."""
    below: dict[str, set[str]] = defaultdict(set)
    for test in tests:
        for name in _above(test):
            below[name].add(test)
    names = set()
    for test in slow:
        names.add(next((name for name in _above(test) if below[name] <= set(slow)), test))
    return sorted(names)


def write(folder: Path) -> None:
    """Write the list; tests that were not run stay where they are."""
    times = taken_s(folder, mechanisms=False)
    before = slow_names()
    known = {name for test in times for name in (test, *_above(test))}
    slow = slow_of(times, before)
    names = [*shortest(slow, times), *(name for name in before if name not in known)]
    SLOW.write_text(HEAD + "".join(f"{name}\n" for name in sorted(names)), encoding="utf-8")
    quick_s = sum(time_s for test, time_s in times.items() if test not in slow)
    print(f"quick: {len(times) - len(slow)} tests, {quick_s:.0f} s of processor time")
    print(f"slow: {len(slow)} tests, {sum(times.values()) - quick_s:.0f} s")


def far(folder: Path) -> None:
    """Print the tests that take much more, or much less, than those of their tier."""
    names = slow_names()
    others = tuple(f"tests/{folder}/" for folder in FOLDERS)
    for test, time_s in sorted(taken_s(folder, mechanisms=False).items(), key=lambda row: -row[1]):
        if test.startswith(others):
            continue
        if not is_slow(test, names) and time_s > LIMIT_S * FAR:
            print(f"warning: quick, but takes {time_s:.1f} s: {test}")
        if is_slow(test, names) and time_s < LIMIT_S / FAR:
            print(f"warning: slow, but takes {time_s:.2f} s only: {test}")


if __name__ == "__main__":
    {"write": write, "far": far}[sys.argv[1]](Path(sys.argv[2]))
