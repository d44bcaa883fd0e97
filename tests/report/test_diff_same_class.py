"""diff: a lossless class is the same one on both sides by its traffic, whatever its name is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from fabric.intent.classes import lossless_classes
from fabric.intent.policy import LosslessPolicy
from fabric.report.diff.same_class import class_figures
from tests.cli.runs import DEMO, run
from tests.report.diffs import edited

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.report.diff.same_class import Classes


def listed(name: str, dscp: int, priority: int, kmin: int = 150_000) -> dict[str, Any]:
    """Return a class of a list."""
    ecn = {"kmin_bytes": kmin}
    return {"name": name, "dscps": [dscp], "pfc_priority": priority, "ecn": ecn}


def classes(*written: dict[str, Any]) -> Classes:
    """Return the classes of a list; the one class of the defaults without any."""
    return lossless_classes(LosslessPolicy.model_validate({"classes": written}))


ONE = classes()
TRAIN, STORE = listed("train", 26, 3), listed("store", 28, 4)
#: Both sides, and the figures that differ.
CASES = {
    "one class becomes one of a list": (ONE, classes(TRAIN), {}),
    "with a later Kmin": (
        ONE,
        classes(listed("train", 26, 3, 800_000)),
        {"train.kmin_bytes": (150_000, 800_000)},
    ),
    "and back": (
        classes(listed("train", 26, 3, 800_000)),
        ONE,
        {"kmin_bytes": (800_000, 150_000)},
    ),
    "one of several, with another DSCP": (
        ONE,
        classes(listed("store", 28, 4), listed("train", 30, 3, 800_000)),
        {"train.roce_dscp": ("26", "30"), "train.kmin_bytes": (150_000, 800_000)},
    ),
    "with another DSCP and priority": (
        ONE,
        classes(listed("train", 28, 4, 800_000)),
        {
            "train.roce_dscp": ("26", "28"),
            "train.pfc_priority": (3, 4),
            "train.kmin_bytes": (150_000, 800_000),
        },
    ),
    "another name": (
        classes(TRAIN, STORE),
        classes(TRAIN, listed("disks", 28, 4, 300_000)),
        {"disks.kmin_bytes": (150_000, 300_000)},
    ),
    "names that are swapped": (
        classes(TRAIN, STORE),
        classes(listed("store", 26, 3, 300_000), listed("train", 28, 4)),
        {"store.kmin_bytes": (150_000, 300_000)},
    ),
    "a class that is removed": (
        classes(TRAIN, STORE),
        classes(TRAIN),
        {"store.roce_dscp": ("28", None)},
    ),
    "its name goes to another one": (
        classes(TRAIN, STORE),
        classes(listed("store", 26, 3)),
        {"store (removed).roce_dscp": ("28", None)},
    ),
}


@pytest.mark.parametrize(("old", "new", "apart"), CASES.values(), ids=CASES)
def test_figures_of_one_class_stand_together(
    old: Classes, new: Classes, apart: dict[str, tuple[object, object]]
) -> None:
    was, now = class_figures(old, new, ("roce_dscp", "pfc_priority", "kmin_bytes"))
    found = {
        name: (was[name], now.get(name))
        for name in was
        if was[name] != now.get(name) and (name in now or name.endswith("roce_dscp"))
    }
    assert found == apart


def test_a_later_kmin_fails_the_gate(tmp_path: Path) -> None:
    after = edited(tmp_path)
    file = after / "fabric.yaml"
    text = yaml.safe_load(file.read_text())
    own = text["lossless"]
    for name in ("roce_dscp", "pfc_priority"):
        own.pop(name, None)
    own["classes"] = [listed("train", 26, 3, 800_000)]
    file.write_text(yaml.safe_dump(text))
    ended = run("diff", str(DEMO), str(after), "--fail-on", "less protection")
    assert ended.code == 4, ended.out
    assert "train.kmin_bytes 150,000 -> 800,000" in ended.out
