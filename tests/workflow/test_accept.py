"""accept: steps are carried out once, in order; the record resumes, and a signature holds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from fabric.core.errors import InputError
from fabric.report.accept import Acceptance, Record, Result, Step, html, junit, markdown
from fabric.workflow.accept import Run, steps
from fabric.workflow.project import Project
from tests.report.followed import is_followed_by_markdown
from tests.topology.fabrics import INVENTORY

BY_HAND = ("watchdog", "nccl")


@cache
def keys() -> tuple[str, ...]:
    """Return the steps that a program carries out."""
    project = Project(INVENTORY / "demo")
    return tuple(step.key for step in steps(project) if step.key not in BY_HAND)


class Rehearsed(Run):
    """A run whose steps answer from a table, and note that they were carried out."""

    failures: dict[str, list[str]]
    calls: list[str]

    def __getattribute__(self, name: str) -> Any:
        key = name.removeprefix("_")
        if name != key and key in keys():
            return lambda: (self.calls.append(key), (self.failures.get(key, []), f"{key} done"))[1]
        return super().__getattribute__(name)


def run(file: Path, failures: dict[str, list[str]] | None = None) -> Rehearsed:
    one = Rehearsed(Project(INVENTORY / "demo"), file, None, lambda *_: None)
    one.failures, one.calls = failures or {}, []
    return one


def test_steps_are_carried_out_in_order(tmp_path: Path) -> None:
    one = run(tmp_path / "a.json")
    one.carry_out()
    assert one.calls == list(keys())
    assert one.acceptance.open == list(BY_HAND)
    assert one.acceptance.failed == []


def test_a_run_goes_on_with_what_has_not_passed(tmp_path: Path) -> None:
    first = run(tmp_path / "a.json", {"ping": ["gpu001 - gpu002: no answer"]})
    first.carry_out()
    assert first.acceptance.failed == ["ping"]
    second = run(tmp_path / "a.json")
    second.carry_out()
    assert second.calls == ["ping"]
    assert second.acceptance.failed == []


def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path) -> None:
    class Stopped(Exception):  # noqa: N818 - stands for Ctrl-C
        pass

    one = run(tmp_path / "a.json")

    def stop(_: str, text: str) -> None:
        if text.startswith("RDMA"):
            raise Stopped

    one.progress = stop
    with pytest.raises(Stopped):
        one.carry_out()
    other = run(tmp_path / "a.json")
    other.carry_out()
    assert other.calls == list(keys()[keys().index("rdma") :])


def test_one_step_and_all_again(tmp_path: Path) -> None:
    one = run(tmp_path / "a.json")
    one.carry_out()
    one.calls.clear()
    one.carry_out(["cabling"])
    assert one.calls == ["cabling"]
    one.carry_out(again=True)
    assert one.calls == ["cabling", *keys()]


def test_a_signature_needs_every_step_and_ends_with_a_change(tmp_path: Path) -> None:
    one = run(tmp_path / "a.json")
    one.carry_out()
    with pytest.raises(InputError, match="watchdog, nccl not run"):
        one.sign("A. Muster")
    for key in BY_HAND:
        one.note(key, passed=True, by="A. Muster", text="seen")
    one.sign("A. Muster")
    assert run(tmp_path / "a.json").acceptance.verdict() == "accepted, signed by A. Muster"
    one.note("nccl", passed=True, by="B", text="seen again")
    assert one.acceptance.verdict() == "all steps passed, not signed"


def test_results_of_nccl_tests_are_recorded(tmp_path: Path) -> None:
    one = run(tmp_path / "a.json")
    report = tmp_path / "nccl.csv"
    report.write_text('hosts,gbyte_s\n"gpu[001-002]",91\n')
    one.take_results([report], by="A. Muster")
    assert one.record.results["nccl"].lines == ("no result of gpu[003-004]",)
    report.write_text('hosts,gbyte_s\n"gpu[001-004]",91\n')
    one.take_results([report], by="A. Muster")
    assert one.record.results["nccl"].state == "passed"
    report.write_text('hosts,gbyte_s\n"gpu[001-004]",91\n"gpu[003-004]",45\n')
    one.take_results([report], by="A. Muster")
    result = one.record.results["nccl"]
    assert result.state == "failed"
    assert result.lines[0].endswith("all-reduce of gpu[003-004]: 45.0 GB/s, 82.4 is the least")


@pytest.mark.parametrize("old", ['"passed"', '"cabling done"', '"demo"'])
def test_an_edited_record_is_not_signed(tmp_path: Path, old: str) -> None:
    one = run(tmp_path / "a.json")
    one.carry_out()
    for key in BY_HAND:
        one.note(key, passed=True, by="A", text="")
    one.sign("A")
    file = tmp_path / "a.json"
    text = file.read_text(encoding="utf-8")
    assert old in text
    edited = Record.from_json(text.replace(old, '"skipped"', 1))
    assert Record.from_json(text).signature_holds
    assert not edited.signature_holds


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "cannot be read"),
        ("[]", "not a record"),
        ('{"format": "other"}', "not a record"),
        ('{"format": "rocefab-acceptance-1"}', "cannot be read"),
    ],
)
def test_a_damaged_record_is_rejected(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as rejected:
        run(tmp_path / "a.json")
    assert says in str(rejected.value.findings[0])


def test_a_record_of_another_inventory_is_rejected(tmp_path: Path) -> None:
    one = run(tmp_path / "a.json")
    one.carry_out()
    file = tmp_path / "a.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps({**data, "inventory_sha256": "0" * 64}), encoding="utf-8")
    with pytest.raises(InputError, match="another state of the inventory"):
        run(file)


def test_a_step_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no step 'pong'"):
        run(tmp_path / "a.json").carry_out(["pong"])


def test_forms_show_hostile_text_as_text() -> None:
    lines = ("<script>alert(1)</script> | [x](http://e)", "]]>")
    record = Record("demo", "0" * 64, {"ping": Result("failed", "1 of 2", lines)})
    acceptance = Acceptance(record, (Step("ping", "Ping"), Step("nccl", "NCCL", commands=("x",))))
    assert "<script>" not in html(acceptance)
    assert is_followed_by_markdown(markdown(acceptance))
    assert "](" not in markdown(acceptance).replace("\\]", "")
    suite = ET.fromstring(junit(acceptance))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    failure = suite.find("testcase/failure")
    assert failure is not None
    assert failure.text == "\n".join(lines)
    assert acceptance.verdict() == "not accepted: ping failed"


def test_the_plan_says_how_long(tmp_path: Path) -> None:
    plan = steps(Project(INVENTORY / "demo"))
    assert [step.key for step in plan if step.by_hand] == list(BY_HAND)
    assert all(step.estimate_s > 0 for step in plan if not step.by_hand)
    (line, *_) = next(step.commands for step in plan if step.key == "nccl")
    assert "NCCL_IB_HCA==mlx5_1" in line
    assert "49.0 GB/s" in line  # 400 Gb/s * 4096 / 4178 / 8, by ceiling_gbps
    assert "45.6 of all hosts are usual, 41.2 the least" in line  # 93 % and 84 % of it


def test_a_fabric_of_the_lab_is_accepted(tmp_path: Path) -> None:
    """As the documentation has it, each command as a process; before the change it fails."""
    script = f"""
        rocefab lab up {INVENTORY}/demo --out lab >lab.log 2>&1 &
        trap 'kill %1' EXIT
        until [ -s lab/connections.json ]; do sleep 0.5; done
        export ROCEFAB_PASSWORD="$(cat lab/password)" ROCEFAB_CONNECTIONS=lab/connections.json
        rocefab accept {INVENTORY}/demo --step cabling --file empty.json || echo "code $?"
        rocefab plan {INVENTORY}/demo --out plan.json >/dev/null
        rocefab apply plan.json --commit >/dev/null
        rocefab accept {INVENTORY}/demo --step configuration --step cabling --step rdma \\
            --step incast --format junit
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    before, _, after = done.stdout.partition("code 4\n")
    assert "not accepted: cabling failed" in before
    suite = ET.fromstring(after)
    states = {case.get("name"): [child.tag for child in case] for case in suite}
    assert states["Every cable is where it is planned"] == []
    assert sum(not tags for tags in states.values()) == 4
    assert suite.get("failures") == "0"
