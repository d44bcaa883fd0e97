"""Lines that the quick tests reach, by room, and lines that only the slow ones do.

Usage: ``python -m tests.tools.coverage_rooms QUICK SLOW``, two files of coverage.py.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from coverage import Coverage, CoverageData

ROOT = Path(__file__).parents[2]


def lines_of(file: str) -> dict[Path, set[int]]:
    """Return the lines of each file of the product that were reached."""
    data = CoverageData(file)
    data.read()
    return {Path(name): set(data.lines(name) or ()) for name in data.measured_files()}


def main(quick_file: str, slow_file: str) -> None:
    """Print a row for each room."""
    quick, slow = lines_of(quick_file), lines_of(slow_file)
    analysed = Coverage(data_file=None)
    totals: dict[str, Counter[str]] = {"whole": Counter()}
    for path in sorted((ROOT / "fabric").rglob("*.py")):
        _, statements, _, _, _ = analysed.analysis2(str(path))
        lines = set(statements)
        by_quick = lines & quick.get(path, set())
        row = Counter(
            lines=len(lines),
            quick=len(by_quick),
            slow=len(lines & slow.get(path, set()) - by_quick),
        )
        room = path.relative_to(ROOT / "fabric").parts[0].removesuffix(".py")
        totals.setdefault(room, Counter()).update(row)
        totals["whole"].update(row)
    print(f"{'room':<12}{'lines':>8}{'quick':>8}{'share':>8}{'only slow':>11}{'neither':>9}")
    for room, row in totals.items():
        neither = row["lines"] - row["quick"] - row["slow"]
        share = row["quick"] / max(row["lines"], 1)
        print(
            f"{room:<12}{row['lines']:>8}{row['quick']:>8}{share:>8.1%}{row['slow']:>11}{neither:>9}"
        )


if __name__ == "__main__":
    main(*sys.argv[1:3])
