"""What a system makes of a line that is absent: each line of a file is taken away in turn."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from fabric.book.book import books
from tests.cases import each
from tests.prove.fabrics import example
from tests.prove.mutations import Subject
from tests.prove.needless import NEEDLESS, reason_of
from tests.prove.test_systems import CHANGES, UNNUMBERED, fabric_of
from tests.topology.fabrics import INVENTORY

#: Examples with files of switches.
EXAMPLES = sorted(path.parent.name for path in INVENTORY.glob("*/fabric.yaml"))


#: What is known of lines that are absent, by system.
ABSENT = {system: book.texts.absent for system, book in books().items() if book.texts.absent}


@cache
def mixed() -> Subject:
    return Subject.of(*example("mixed"))


@cache
def unnumbered(leaf: str) -> Subject:
    """Return the demo without addresses between switches: SONiC below EOS, or one system."""
    changes = {UNNUMBERED: f"{UNNUMBERED}, peering: unnumbered"}
    if leaf != "sonic":
        changes |= CHANGES[leaf]["demo"]
    with TemporaryDirectory() as folder:
        return Subject.of(*fabric_of(Path(folder), "demo", changes))


def not_missed(subject: Subject, name: str) -> list[str]:
    """Return the lines of a switch that a proof passes without, and that no reason covers."""
    form = subject.form(name)
    return [
        mutation.label
        for mutation in subject.mutations(name)
        if not reason_of(form, mutation.label) and not subject.is_missed(name, mutation)
    ]


@pytest.mark.parametrize(
    "name", [*(f"{system}-leaf" for system in sorted(ABSENT)), "spine01", "spine02"]
)
def test_each_line_is_missed(name: str) -> None:
    """Or it stands in a short table with the reason."""
    assert name in mixed().samples()
    assert not_missed(mixed(), name) == []


@each("leaf", ["sonic", "cumulus", "nxos", "vrp8"])
def test_each_line_is_missed_without_addresses(leaf: str) -> None:
    """Routing over IPv6, router advertisements, IPv6 next hops: as much as an address."""
    subject = unnumbered(leaf)
    for name in subject.samples():
        # A spine of one path to each leaf needs none of the lines for several.
        if leaf in {"sonic", "cumulus"} or not name.startswith("spine"):
            assert not_missed(subject, name) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_line_of_every_example_is_missed(name: str) -> None:
    """On a switch of each system and role."""
    subject = Subject.of(*example(name))
    for switch in subject.samples():
        assert not_missed(subject, switch) == []


@each("form", sorted(NEEDLESS))
def test_no_reason_covers_what_nobody_renders(form: str) -> None:
    """So that the table stays as short as it can be."""
    subjects = [mixed(), unnumbered("sonic"), unnumbered("cumulus")]
    subjects += [Subject.of(*example(name)) for name in ("unnumbered", "dual-stack", "tenants")]
    subjects += [unnumbered("nxos")]
    subjects += [Subject.of(*example("rail-only"))] if form.endswith("alone") else []
    labels = [
        mutation.label
        for subject in subjects
        for name in subject.samples()
        if subject.form(name).startswith(form)
        for mutation in subject.mutations(name)
    ]
    for pattern in NEEDLESS[form]:
        assert any(re.fullmatch(pattern, label) for label in labels), pattern


def test_a_default_has_a_source_or_is_unknown() -> None:
    """And every system that is proved says what its absent lines mean."""
    assert set(ABSENT) == {form.partition(",")[0] for form in NEEDLESS}
    for rows in ABSENT.values():
        for default in rows.values():
            assert default.source or default.holds is None
