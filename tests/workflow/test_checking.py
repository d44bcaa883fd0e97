"""What `check` makes of switches one by one: rules that fail, errors, what is not rendered."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fabric.render
from fabric.core.errors import InputError, RenderError
from fabric.core.findings import Finding, Severity
from fabric.systems.sonic import verdict
from fabric.systems.sonic.rules.queues import MarkedQueue
from fabric.validate.rules.ageing import ArpBeforeMac
from fabric.validate.rules.marking import EcnOrder
from fabric.validate.rules.mtu import MtuRange
from fabric.validate.rules.reach import Oversubscription
from fabric.validate.runner import Outcome
from fabric.workflow.check import check, report
from fabric.workflow.diff import diff
from fabric.workflow.project import Project
from fabric.workflow.prove import Request, prove
from fabric.workflow.store import Store
from fabric.workflow.work import Work
from tests.cases import each
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY

WAIVER = """
waivers:
  - {rule: ARP001, device: "*", reason: tried, until: "2999-12-31"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the example."""
    return Path(shutil.copytree(INVENTORY / "demo", tmp_path / "demo"))


def each_wrong(self: ArpBeforeMac, _places: Any, device: Any) -> Iterator[Finding]:
    """Say that every switch is wrong."""
    yield self.finding("is wrong", "none", device=device.name, severity=Severity.ERROR)


def rendered(monkeypatch: pytest.MonkeyPatch, failing: str = "") -> list[str]:
    """Return a list that gets the name of each switch that is rendered; one of them fails."""
    names: list[str] = []
    real = fabric.render.render_device

    def render(design: Any) -> Any:
        names.append(design.name)
        if design.name == failing:
            raise RenderError(f"{design.name}: cannot be rendered")
        return real(design)

    monkeypatch.setattr(fabric.render, "render_device", render)
    return names


def test_a_rule_that_fails_itself_is_reported(folder: Path, monkeypatch) -> None:
    def fails(*_: Any) -> Iterator[Finding]:
        raise KeyError("oops")

    before = check(Project(folder))
    monkeypatch.setattr(ArpBeforeMac, "check_switch", fails)
    work = Work(Store(folder.parent / "cache"))
    for _ in range(2):  # nothing of it is kept
        outcome = check(Project(folder, work))
        assert outcome.broken == (("ARP001", "KeyError: 'oops'"),)
        assert set(before.checked) - set(outcome.checked) == {"ARP001"}
        assert outcome.skipped == before.skipped
    assert work.made["checked switch"] == 2 * len(Project(folder).devices)
    assert check(Project(folder), ["ARP001"]).broken == ()


def test_switches_with_errors_are_not_rendered(folder: Path, monkeypatch) -> None:
    names = rendered(monkeypatch)
    monkeypatch.setattr(ArpBeforeMac, "check_switch", each_wrong)
    outcome = check(Project(folder))
    switches = [*Project(folder).devices]
    errors = outcome.at_least(Severity.ERROR)
    assert [(one.rule, one.device) for one in errors] == [("ARP001", name) for name in switches]
    assert names == []
    assert "SON012" not in outcome.checked


def test_switches_with_waived_errors_are_rendered(folder: Path, monkeypatch) -> None:
    (folder / "fabric.yaml").write_text((folder / "fabric.yaml").read_text() + WAIVER)
    names = rendered(monkeypatch)
    monkeypatch.setattr(ArpBeforeMac, "check_switch", each_wrong)
    outcome = check(Project(folder))
    assert not outcome.at_least(Severity.ERROR)
    assert [one.finding.device for one in outcome.waived] == names == [*Project(folder).devices]
    assert "SON012" in outcome.checked


def test_a_switch_that_cannot_be_rendered_is_an_error(folder: Path, monkeypatch) -> None:
    rendered(monkeypatch, failing="su1-rail1")
    (error,) = check(Project(folder)).at_least(Severity.ERROR)
    assert (error.rule, error.message) == ("REN001", "su1-rail1: cannot be rendered")
    assert error.field == "fabric.platforms.leaf.sku"
    assert error.position


#: What asks for a file -> how `prove` and `diff` name what cannot be rendered.
ASKING = {
    "prove": lambda folder: prove(Project(folder), Request()),
    "diff": lambda folder: diff(str(INVENTORY / "mixed"), str(folder), Work()),
}


@pytest.mark.parametrize("name", ASKING)
def test_what_cannot_be_rendered_has_its_place(name: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INVENTORY / "mixed", tmp_path / "mixed"))
    file = folder / "devices" / "systems.yaml"
    text = file.read_text()
    assert "port_bytes: 9216" in text
    file.write_text(text.replace("port_bytes: 9216", "port_bytes: 9000"))
    with pytest.raises(InputError) as caught:
        ASKING[name](folder)
    errors = check(Project(folder)).at_least(Severity.ERROR)
    assert [one.rule for one in errors] == ["NXO003"]
    assert [*map(str, caught.value.findings)] == [*map(str, errors)]
    assert str(errors[0]).startswith(f"{file}:14:")


def test_a_waived_error_has_its_place_where_nothing_can_be_rendered(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(INVENTORY / "mixed", tmp_path / "mixed"))
    file = folder / "devices" / "systems.yaml"
    file.write_text(file.read_text().replace("port_bytes: 9216", "port_bytes: 9000"))
    with (folder / "fabric.yaml").open("a") as fabric_file:
        fabric_file.write(WAIVER.replace("ARP001", "NXO003"))
    (error,) = check(Project(folder)).at_least(Severity.ERROR)
    assert error.rule == "REN001"
    assert str(error).startswith(f"{file}:14:")
    assert "[NXO003]" in error.message


def test_an_error_of_the_whole_fabric_leaves_the_rules_about_switches(folder: Path, monkeypatch):
    text = (folder / "fabric.yaml").read_text()
    assert "bgp: {" in text
    text = text.replace("bgp: {", "bgp: {keepalive_s: 10, hold_s: 11, ")
    (folder / "fabric.yaml").write_text(text)
    names = rendered(monkeypatch)
    outcome = check(Project(folder))
    assert "BGP001" in {one.rule for one in outcome.at_least(Severity.ERROR)}
    assert names == []
    assert "ARP001" in outcome.checked


#: How many functions there are from the command to a rule, both counted; our choice.
MOST_FRAMES = 8
SHORT = (
    (MtuRange, "judge", "a policy"),
    (EcnOrder, "judge_class", "a class of a policy"),
    (ArpBeforeMac, "check_switch", "a switch"),
    (Oversubscription, "check", "the fabric"),
    (MarkedQueue, "check", "a file"),
)


@each("rule", SHORT)
def test_the_way_to_a_rule_is_short(rule: tuple[type, str, str], monkeypatch: Any) -> None:
    """A reader gets from the command to what a rule says in a few functions."""
    depths: list[int] = []

    def counted(*_: Any) -> Iterator[Any]:
        files = [Path(frame.filename).as_posix() for frame in inspect.stack()[1:]]
        depths.append(next(n for n, file in enumerate(files, 2) if "fabric/cli/" in file))
        return iter(())

    verdict._judged.cache_clear()
    monkeypatch.setattr(rule[0], rule[1], counted)
    assert run("check", INVENTORY / "demo", "--fresh", "--workers", "1").code == 0
    assert depths
    assert max(depths) <= MOST_FRAMES


def test_callers_in_python_learn_what_is_wrong_with_arguments(folder: Path) -> None:
    with pytest.raises(InputError, match="nothing was checked") as refused:
        check(Project(folder), ignore="QOS008")
    assert str(refused.value.findings[0]) == (
        "ignore is the text 'QOS008', where a list of rules is needed; write ['QOS008'] [INT022]"
    )
    with pytest.raises(InputError, match="unknown report form 'xml'; known forms: .*sarif, text"):
        report(Outcome((), (), (), ()), "xml", folder)
