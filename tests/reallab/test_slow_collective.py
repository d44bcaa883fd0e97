"""Faults planted in the real lab: `rocefab suspect` leads from bandwidth to the cable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabric.workflow.project import Project
from fabric.workflow.real_laboratory import real_laboratory
from tests.cli.runs import run
from tests.reallab.conftest import Running, counted, require_parts
from tests.reallab.plans import change
from tests.reallab.slow_cluster import QUEUE_PAIRS, Fault, SlowCluster, limit
from tests.render.designs import INVENTORY

pytestmark = pytest.mark.lab

#: Kinds of faults, and how many of each are planted: twenty.
KINDS = {
    "half rate": 4,
    "half PCIe width": 3,
    "lossy port": 4,
    "wrong rail": 3,
    "wrong DSCP": 3,
    "bad hash": 3,
}
MOST_TESTS = 12
#: Four units of four hosts, and as many uplinks of a leaf as it has NICs.
CHANGES = {
    "gpu[001-002]": "gpu[001-004]",
    '  - {name: su2, hosts: "gpu[003-004]"}\n': "".join(
        f'  - {{name: su{unit}, hosts: "gpu[{4 * unit - 3:03}-{4 * unit:03}]"}}\n'
        for unit in (2, 3, 4)
    ),
    "links_per_leaf: 1": "links_per_leaf: 2",
    "  gpus: 2\n": f"  gpus: 2\n  nccl_queue_pairs: {QUEUE_PAIRS}\n",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Give a lab of sixteen hosts whose cables have a rate."""
    require_parts()
    folder = tmp_path_factory.mktemp("inventory")
    text = (INVENTORY / "demo/fabric.yaml").read_text(encoding="utf-8")
    (folder / "fabric.yaml").write_text(change(text, CHANGES), encoding="utf-8")
    project = Project(folder)
    with real_laboratory(project) as lab:
        running = Running(project, lab)
        sessions, next_hops = counted(running.proof())
        assert lab.wait_for_sessions(sessions) == sessions
        assert lab.wait_for_next_hops(next_hops) == next_hops
        limit(running)
        yield running


def looked_for(running: Running, slow: SlowCluster, report: Path, most: int) -> dict[str, Any]:
    """Run the tests that `rocefab suspect` asks for; return its last answer."""
    report.write_text("hosts,rails,collective,gbyte_s\n")
    inventory = running.project.intent.folder
    for _ in range(most + 1):
        ended = run("suspect", inventory, report, "--format", "json")
        answer = json.loads(ended.out)
        assert ended.code == (4 if is_of_two(answer) else 0), ended.err
        test = answer["next_test"]
        if not test or len(answer["results"]) == most * slow.rails:
            break
        hosts = ",".join(test["hosts"])
        rates = slow.measured(test["collective"], test["hosts"])
        with report.open("a") as file:
            for rail, gbyte_s in enumerate(rates):
                file.write(f'"{hosts}",{rail},{test["collective"]},{gbyte_s:.2f}\n')
    return answer


def is_likely(answer: dict[str, Any]) -> bool:
    """Tell whether a place is as likely as all others together."""
    first = answer["suspects"][0]
    return bool(answer["results"] and first["device"] and first["probability"] >= 0.5)


def is_of_two(answer: dict[str, Any]) -> bool:
    """Tell whether one of two places is as likely as all others together."""
    places = sorted(one["probability"] for one in answer["suspects"] if one["device"])
    return bool(answer["results"]) and sum(places[-2:]) >= 0.5


def test_a_cluster_without_a_fault_has_no_suspect(running: Running, tmp_path: Path) -> None:
    slow = SlowCluster(running, Fault("none", 0))
    answer = looked_for(running, slow, tmp_path / "burn-in.csv", 3)
    assert not is_of_two(answer), answer


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        pytest.param(kind, seed, id=f"{kind} {seed}")
        for kind, count in KINDS.items()
        for seed in range(count)
    ],
)
def test_the_culprit_is_first(running: Running, tmp_path: Path, kind: str, seed: int) -> None:
    """A wrong answer is measured once more: other work on the machine slows cables down too."""
    slow = SlowCluster(running, Fault(kind, seed))
    with slow.planted():
        for _ in range(2):
            answer = looked_for(running, slow, tmp_path / "burn-in.csv", MOST_TESTS)
            first = answer["suspects"][0]
            found = " ".join([first["device"], *first["ports"]])
            if found == slow.culprit and is_likely(answer):
                break
    assert found == slow.culprit, answer
    assert is_likely(answer)
