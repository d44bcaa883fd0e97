"""Gathers the figures of a run, and prints what was compared with something else once more."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.bench import figures as kept


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Iterator[kept.Figures]:
    """Return where a run puts its figures; they are kept when no benchmark failed."""
    found: kept.Figures = {part: [] for part in kept.PARTS}
    machine = kept.machine()
    yield found
    if found["anchors"]:
        print("\n\nms of processor time            rocefab    other   ratio")
    for row in found["anchors"]:
        ratio = row["other_ms"] / row["own_ms"]
        title = f"{row['question']}: {row['other']}"
        print(f"  {title}\n  {'':<28}{row['own_ms']:>9.2f}{row['other_ms']:>9.2f}{ratio:>8.1f}")
    if not request.session.testsfailed:
        kept.keep(found, machine)
