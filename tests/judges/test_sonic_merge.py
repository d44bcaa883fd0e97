"""libyang judges what the merge makes, and the configuration after each part of a change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fabric.devices.candidate import SonicLive
from fabric.platforms.catalogue import sku
from fabric.systems.sonic import adapters as sonic
from fabric.systems.sonic.adapters.foreign import conflicts
from fabric.systems.sonic.gcu import Updater
from fabric.systems.sonic.yang import convert
from tests.change.sonic_bench import config_of, whole
from tests.devices.memory import _applied
from tests.judges.test_sonic_yang import BRANCHES, Judge
from tests.render.designs import variant
from tests.systems.sonic.test_change_growth import GROWTH, LEAF
from tests.systems.sonic.test_change_merge import BARE, CONFLICTS, MODELS, from_the_box, leaf_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module", params=BRANCHES)
def judge(request: pytest.FixtureRequest, yanglint: str, reference: Path) -> Iterator[Judge]:
    """Return the judge of one branch."""
    return Judge(yanglint, reference / "schemas" / "sonic-yang", request.param)


@pytest.mark.parametrize("model", [name for name in MODELS if name not in BARE])
def test_merged_targets_are_valid(judge: Judge, tmp_path: Path, model: str) -> None:
    """Each model with its service ports, QoS of the image, and EVERFLOW and sFlow on all ports."""
    design = leaf_of(tmp_path, model)
    running = from_the_box(design)
    target = sonic.compose(running, config_of(design))
    judge.accepts({"running": running, "target": target}, tmp_path)
    assert sku(model).service_ports


@pytest.mark.parametrize("name", CONFLICTS)
def test_what_plan_calls_a_conflict_is_refused(judge: Judge, tmp_path: Path, name: str) -> None:
    """The running configuration is valid, its merge is not: so says libyang too."""
    rows, _ = CONFLICTS[name]
    design = leaf_of(tmp_path, "ACS-MSN4700")
    running = from_the_box(design)
    for table, more in rows.items():
        running[table] = {**running.get(table, {}), **more}
    judge.accepts({"running": running}, tmp_path)
    target = sonic.compose(running, config_of(design))
    assert conflicts(running, target)
    assert judge.verdict(tmp_path, convert(target, judge.schema))[0] != 0


@pytest.mark.parametrize("name", GROWTH)
def test_each_part_leaves_a_valid_configuration(judge: Judge, tmp_path: Path, name: str) -> None:
    """The updater validates what each part makes; so does libyang here."""
    base, more = GROWTH[name]
    small = variant(tmp_path / "1", "demo", base)[LEAF]
    large = variant(tmp_path / "2", "demo", {} if name == "watchdog" else {**base, **more})[LEAF]
    for before, after in ((small, large), (large, small)):
        state = whole(before)
        target = sonic.compose(state, config_of(after))
        way = sonic.way(state, target, Updater("ACS-MSN4700", judge.branch))
        states = {}
        for number, step in enumerate(way.steps):
            state = _applied(state, _only(way, number))
            if step.kind == "patch":
                states[f"part {number}"] = state
        judge.accepts(states, tmp_path)
        assert json.dumps(state, sort_keys=True) == json.dumps(target, sort_keys=True)


def _only(way: sonic.Way, number: int) -> SonicLive:
    return SonicLive((way.steps[number],))
