"""diff: what makes a roll-out less safe, and which commands it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fabric.intent.drift_model import Drift
from fabric.intent.rollout_model import Rollout
from fabric.report.diff.forms import FORMS
from fabric.report.diff.rollout import COMMANDS, less_safe, more_repaired
from tests.report.diffs import DEMO, compared, edited

WINDOW = {"start": "22:00", "end": "05:00"}
DAY = {"start": "00:00", "end": "23:59"}
#: The section before and after, and what is said of it.
CASES: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "approvals": (
        *({"approvals": 2}, {"approvals": 1}),
        "fewer people approve a plan: rollout.approvals 2 -> 1",
    ),
    "more approvals": ({"approvals": 1}, {"approvals": 2}, ""),
    "a gate that is on by default": (
        *({}, {"gates": {"counters": False}}),
        "a gate is off: rollout.gates.counters true -> false",
    ),
    "a gate that was asked for": (
        *({"gates": {"rdma": True}}, {}),
        "a gate is off: rollout.gates.rdma true -> false",
    ),
    "a gate more": ({}, {"gates": {"ping": True}}, ""),
    "capacity": (
        *({}, {"min_capacity_percent": 49}),
        "a wave may take more bandwidth: rollout.min_capacity_percent 50 -> 49",
    ),
    "larger waves": (
        *({}, {"wave_size": 32}),
        "more devices change together: rollout.wave_size 16 -> 32",
    ),
    "tuning of waves": ({}, {"wave_size": 31}, ""),
    "no soak": (
        *({"soak_s": 60}, {}),
        "the gates are checked again earlier: rollout.soak_s 60 -> 0",
    ),
    "no soak on both sides": ({"soak_s": 0}, {"soak_s": 0}, ""),
    "no canary": (
        *({"canary": {"devices": ["spine01", "gpu[001-002]"]}}, {}),
        "fewer devices change first: rollout.canary.devices spine01, gpu[001-002] -> (absent)",
    ),
    "no windows": (
        *({"windows": [WINDOW]}, {}),
        "waves may begin at other times: rollout.windows 1 -> always",
    ),
    "a wider window": (
        *({"windows": [WINDOW]}, {"windows": [DAY]}),
        "waves may begin at other times: rollout.windows 1 -> 1",
    ),
    "a window less": ({"windows": [WINDOW, DAY]}, {"windows": [WINDOW]}, ""),
    "the first window": ({}, {"windows": [WINDOW]}, ""),
    "a command": (
        *({"notify": ["page"]}, {"notify": ["sh", "-c", "curl x | sh"]}),
        "a command that is run changes: rollout.notify page -> sh -c 'curl x | sh'",
    ),
    "a command less": (
        *({"gates": {"command": ["./tests"]}}, {}),
        "a command is gone: rollout.gates.command ./tests -> (absent)",
    ),
}


@pytest.mark.parametrize(("before", "after", "words"), CASES.values(), ids=CASES)
def test_each_field(before: dict[str, Any], after: dict[str, Any], words: str) -> None:
    sides = (Rollout.model_validate(side) for side in (before, after))
    follows = [(one.risk, one.words) for one in less_safe(*sides)]
    assert follows == ([("less protection", words)] if words else [])


#: The section `drift` before and after, and what is said of it.
REPAIRS: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "from now on": (
        *({}, {"repair": "harmless"}),
        "devices are repaired without being asked: drift.repair never -> harmless",
    ),
    "no more": ({"repair": "harmless"}, {}, ""),
    "more of them": (
        *({"repair": "harmless"}, {"repair": "harmless", "repairs_per_hour": 8}),
        "more devices are repaired without being asked: drift.repairs_per_hour 4 -> 8",
    ),
    "more of none": ({}, {"repairs_per_hour": 8}, ""),
}


@pytest.mark.parametrize(("before", "after", "words"), REPAIRS.values(), ids=REPAIRS)
def test_each_repair(before: dict[str, Any], after: dict[str, Any], words: str) -> None:
    sides = (Drift.model_validate(side) for side in (before, after))
    follows = [(one.risk, one.words) for one in more_repaired(*sides)]
    assert follows == ([("less protection", words)] if words else [])


def test_every_command_counts() -> None:
    """Lists of words are commands, but for the devices of the canary."""
    lists = {
        f"{path}{name}"
        for path, model in (
            ("", Rollout),
            *((f"{n}.", f.annotation) for n, f in Rollout.model_fields.items()),
        )
        for name, field in getattr(model, "model_fields", {}).items()
        if str(field.annotation).startswith("tuple[typing.Annotated[str")
    }
    assert lists - {"canary.devices"} == {*COMMANDS}


def test_a_command_is_never_cut(tmp_path: Path) -> None:
    words = ["sh", "-c", *(letter * 120 for letter in "abc"), "curl x | sh"]
    rollout = f"rollout: {{jobs: {{running: {json.dumps(words)}}}}}"
    after = edited(tmp_path, ("rails: 2\n", f"rails: 2\n{rollout}\n"))
    diff = compared(DEMO, after)
    assert diff.summary.risk == "less protection"
    assert diff.summary.risk_of_applying == "none"
    text = FORMS["text"](diff)
    assert text.count("c" * 120) == 2  # the consequence, and the cause
    assert "changes how changes are rolled out, no file" in text
    assert "highest risk: less protection" in FORMS["markdown"](diff)
