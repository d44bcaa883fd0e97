"""The changelog has the form of Keep a Changelog, and the versions of Semantic Versioning."""

from __future__ import annotations

import datetime as dt
import re
from pathlib import Path

import pytest

from fabric import __version__

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
#: Keep a Changelog 1.1.0, "Types of changes", in its order.
SECTIONS = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
RELEASE = re.compile(
    r"## \[(?P<version>\d+\.\d+\.\d+)\] - (?P<date>\d{4}-\d{2}-\d{2})(?: \[YANKED\])?"
)
GOOD = """\
# Changelog

## [Unreleased]

### Added

- One more.

## [0.2.0] - 2026-12-01

### Fixed

- Another.

## [0.1.0] - 2026-11-01

### Added

- The first.

[Unreleased]: https://example.net/compare/v0.2.0...HEAD
[0.2.0]: https://example.net/compare/v0.1.0...v0.2.0
[0.1.0]: https://example.net/releases/tag/v0.1.0
"""
BAD = {
    "no part for the next release": ("## [Unreleased]\n", "", "begins with [Unreleased]"),
    "sections of another name": ("### Added", "### New", "New"),
    "sections in another order": (
        "- One more.",
        "- One.\n\n### Fixed\n\n- A.\n\n### Changed\n",
        "order",
    ),
    "an empty section": ("- One more.\n", "", "empty"),
    "a version without a day": (" - 2026-12-01", "", "## [0.2.0]"),
    "a day that is none": ("2026-12-01", "2026-13-01", "2026-13-01"),
    "days in another order": ("2026-12-01", "2026-10-01", "days"),
    "versions in another order": ("[0.2.0]", "[0.0.2]", "versions"),
    "no link": ("[0.2.0]: https://example.net/compare/v0.1.0...v0.2.0\n", "", "links"),
    "a link to another version": ("...v0.2.0", "...v0.3.0", "leads"),
}


def faults(text: str) -> list[str]:
    """Return what is wrong with a changelog."""
    heads = re.findall(r"^## .*$", text, re.MULTILINE)
    if heads[:1] != ["## [Unreleased]"]:
        return ["it begins with [Unreleased]"]
    releases = [RELEASE.fullmatch(head) for head in heads[1:]]
    wrong = [head for head, match in zip(heads[1:], releases, strict=True) if match is None]
    pairs = [(match["version"], match["date"]) for match in releases if match]
    return [*wrong, *_order(pairs), *_sections(text), *_links(text, [pair[0] for pair in pairs])]


def _order(releases: list[tuple[str, str]]) -> list[str]:
    try:
        days = [dt.date.fromisoformat(date) for _, date in releases]
    except ValueError:
        return [f"a day of {[date for _, date in releases]} is none"]
    numbers = [tuple(map(int, version.split("."))) for version, _ in releases]
    found = [] if days == sorted(days, reverse=True) else ["the newest is not first: days"]
    newest_first = sorted(set(numbers), reverse=True)
    return found + ([] if numbers == newest_first else ["the newest is not first: versions"])


def _sections(text: str) -> list[str]:
    found = []
    for part in re.split(r"^## .*$", text, flags=re.MULTILINE)[1:]:
        names = re.findall(r"^### (.*)$", part, re.MULTILINE)
        found += [f"{name} is not a section" for name in names if name not in SECTIONS]
        known = [name for name in names if name in SECTIONS]
        if known != [name for name in SECTIONS if name in known]:
            found.append(f"order of {known}")
        bodies = re.split(r"^### .*$", part, flags=re.MULTILINE)[1:]
        found += [
            f"{name} is empty"
            for name, body in zip(names, bodies, strict=True)
            if "\n- " not in body
        ]
    return found


def _links(text: str, versions: list[str]) -> list[str]:
    links = dict(re.findall(r"^\[([\w.]+)\]: (https://\S+)$", text, re.MULTILINE))
    if set(links) != {"Unreleased", *versions}:
        return [f"links {sorted(links)}, expected Unreleased and {versions}"]
    ends = {"Unreleased": "HEAD"} | {version: f"v{version}" for version in versions}
    return [
        f"{name} leads to {links[name]}"
        for name, end in ends.items()
        if not re.search(rf"[./]{re.escape(end)}$", links[name])
    ]


def test_ours() -> None:
    assert faults(TEXT) == []


def test_a_good_one() -> None:
    assert faults(GOOD) == []


@pytest.mark.parametrize("case", BAD)
def test_a_bad_one(case: str) -> None:
    old, new, message = BAD[case]
    assert old in GOOD
    found = faults(GOOD.replace(old, new, 1))
    assert any(message in fault for fault in found), found


def test_the_version_is_released_or_comes_next() -> None:
    """The version of the package has a part, or is what `[Unreleased]` becomes."""
    assert re.fullmatch(r"\d+\.\d+\.\d+(?:rc\d+)?", __version__)
    assert f"## [{__version__}]" in TEXT or f"Planned for {__version__}" in TEXT


def test_the_version_is_in_one_place() -> None:
    """Wheel and command line give the same one."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == __version__
