"""Which findings of two inventories are the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from fabric.core.findings import Finding, Severity
from fabric.validate.same_findings import JudgedSide, apart, same_findings
from fabric.workflow.since import without_known
from fabric.workflow.site import check_folder
from fabric.workflow.work import Work
from tests.report.diffs import INVENTORY, compared, edited
from tests.repository import demo_repository

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.report.diff.model import RuleFinding

#: A cable of its own at the first port of the first leaf, whose length other ports have too.
OWN_CABLE = "devices:\n  - {names: su1-rail0, ports: {Ethernet0: {cable_m: 40}}}\n"


def _finding(
    device: str, also: tuple[str, ...] = (), severity: Severity = Severity.WARNING, **values: str
) -> Finding:
    """Return a finding; of several places it has the count, as a check reports it."""
    count = f" (and in {len(also)} more place{'s' * (len(also) > 1)})" if also else ""
    message = f"{values.get('message', 'x')}{count}"
    field = values.get("field", "a.b")
    return Finding("XYZ001", severity, message, "", field, None, device, also=also)


def _example(device: str, severity: Severity = Severity.WARNING) -> Finding:
    return Finding("XYZ001", severity, "x of 5 m", "", "a", None, device, is_example=True)


@dataclass(frozen=True)
class Case:
    """Findings on devices a, b and c before and after, of which ``new`` came."""

    before: tuple[Finding, ...]
    after: tuple[Finding, ...]
    new: tuple[int, ...] = ()


ERROR = Severity.ERROR
CASES = {
    "the same": Case((_finding("a"),), (_finding("a"),)),
    "another message": Case((_finding("a"),), (_finding("a", message="y"),), (0,)),
    "another entry of a list": Case(
        (_finding("a", field="b[0].c"),), (_finding("a", field="b[1].c"),)
    ),
    "another field": Case((_finding("a"),), (_finding("a", field="c"),), (0,)),
    "another severity": Case((_finding("a"),), (_finding("a", (), ERROR),), (0,)),
    "a second device": Case((_finding("a"),), (_finding("a"), _finding("b")), (1,)),
    "another device": Case((_finding("a"),), (_finding("b"),), (0,)),
    "a device of the group less": Case((_finding("a", ("b", "c")),), (_finding("b", ("c",)),)),
    "a device that was added to a group": Case((_finding("a"),), (_finding("a", ("new",)),)),
    "a device that was added in front": Case((_finding("a"),), (_finding("0new", ("a",)),)),
    "a device that was added by itself": Case((_finding("a"),), (_finding("a"), _finding("new"))),
    "a device that came to a group": Case((_finding("a"),), (_finding("a", ("b",)),), (0,)),
    "an error on a device that was added": Case(
        (_finding("a", (), ERROR),), (_finding("a", ("new",), ERROR),), (0,)
    ),
    "an error on a second device": Case(
        (_finding("a", (), ERROR),), (_finding("a", (), ERROR), _finding("b", (), ERROR)), (1,)
    ),
    "another example": Case((_example("a"),), (_example("b"),)),
    "a second group": Case((_example("a"),), (_example("a"), _example("b")), (1,)),
    "a second group in front": Case((_example("b"),), (_example("a"), _example("b")), (0,)),
    "another example of an error": Case((_example("a", ERROR),), (_example("b", ERROR),), (0,)),
    "none before": Case((), (_finding("a"),), (0,)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_new(case: Case) -> None:
    devices = frozenset("abc")
    before, after = (JudgedSide(side, devices, "") for side in (case.before, case.after))
    same = {id(finding) for _, finding in same_findings(before, after)}
    new = tuple(row for row, finding in enumerate(case.after) if id(finding) not in same)
    assert new == case.new


def _tier(device: str, message: str, severity: Severity = Severity.INFO) -> Finding:
    return Finding("XYZ001", severity, message, "", "a", None, device, is_example=True)


SPINES, OTHERS = "spines: 4, at most 2.00:1 of 1,600", "spines: 3, at most 4.00:1 of 800"
LEAVES = "leaves: 4, at most 2.00:1 of 1,600"
#: Findings before and after; what is gone, what is new, and what has other values, by device.
VALUES = {
    "another example, with other values": ([("a", SPINES)], [("b", OTHERS)], ("", "", "b")),
    "the same example": ([("a", SPINES)], [("a", OTHERS)], ("", "", "a")),
    "an example that the message names": ([("a", "a: 1")], [("b", "b: 2")], ("", "", "b")),
    "another tier": ([("a", SPINES)], [("b", LEAVES)], ("a", "b", "")),
    "one tier of two": (
        *([("a", SPINES), ("c", LEAVES)], [("b", OTHERS), ("c", LEAVES)]),
        ("", "", "b"),
    ),
    "a second group": ([("a", SPINES)], [("b", OTHERS), ("a", OTHERS)], ("", "b", "a")),
    "a group less": ([("a", SPINES), ("b", SPINES)], [("b", OTHERS)], ("a", "", "b")),
}


@pytest.mark.parametrize(("before", "after", "devices"), VALUES.values(), ids=VALUES)
def test_what_a_finding_says_and_not_its_example_tells_it_apart(
    before: list[tuple[str, str]], after: list[tuple[str, str]], devices: tuple[str, str, str]
) -> None:
    sides = [
        JudgedSide(tuple(_tier(*row) for row in rows), frozenset("abc"), "")
        for rows in (before, after)
    ]
    gone, new, _, changed = apart(*sides)
    assert tuple("".join(one.device for one in side) for side in (gone, new, changed)) == devices


def test_an_error_on_another_device_is_new_whatever_its_values() -> None:
    sides = [
        JudgedSide((_tier(device, message, ERROR),), frozenset("ab"), "")
        for device, message in (("a", SPINES), ("b", OTHERS))
    ]
    gone, new, _, changed = apart(*sides)
    assert ([one.device for one in (*gone, *new)], changed) == (["a", "b"], [])


@pytest.mark.parametrize("folder", ["one", "/site/one", "of", "a b"])
def test_a_folder_that_is_named_like_a_word_changes_no_finding(folder: str) -> None:
    sides = [
        JudgedSide(
            (_finding("", message=f"of a b one seed ({shown}/fabric.yaml:{line}: x)"),),
            frozenset(),
            shown,
        )
        for line, shown in enumerate((folder, "other"))
    ]
    assert len(same_findings(*sides)) == 1


def _lines(findings: tuple[RuleFinding, ...]) -> list[tuple[str, str, str]]:
    return [(one.rule, one.device, one.port) for one in findings]


MOVED = {
    "a cable of its own": (OWN_CABLE, (), [("QOS021", "su1-rail0", "Ethernet0")]),
    "longer cables": ("", (("host_m: 5", "host_m: 40"),), []),
    "the first host less": ("", (("gpu[001-002]", "gpu002"),), []),
}


@pytest.mark.parametrize(("devices", "pairs", "new"), MOVED.values(), ids=MOVED)
def test_an_example_that_moves_is_not_new(
    devices: str,
    pairs: tuple[tuple[str, str], ...],
    new: list[tuple[str, str, str]],
    tmp_path: Path,
) -> None:
    """The demo has cables of 5 m and of 40 m before and after."""
    after = edited(tmp_path, *pairs)
    if devices:
        (after / "devices" / "own.yaml").write_text(devices)
    judged = compared(INVENTORY / "demo", after).judged
    assert judged
    assert (_lines(judged.new), judged.gone) == (new, ())


def test_an_example_that_moves_is_known_to_a_revision(tmp_path: Path) -> None:
    repository = demo_repository(tmp_path)
    (repository / "devices").mkdir(exist_ok=True)
    (repository / "devices" / "own.yaml").write_text(OWN_CABLE)
    whole = check_folder(repository, Work(), ())
    listed, _ = without_known(whole, repository, "main", Work(), (), ERROR)
    rules = [(finding.rule, finding.port) for finding in listed.findings]
    assert rules == [("QOS021", "Ethernet0"), ("QOS029", "Ethernet0")]
