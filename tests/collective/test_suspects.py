"""Suspects of results on a small fabric, and what is rejected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fabric.collective.faults import SlowFault
from fabric.collective.hypotheses import hypotheses
from fabric.collective.posterior import Posterior
from fabric.collective.proposals import next_test
from fabric.core.errors import InputError
from fabric.topology.clos import clos
from fabric.workflow.project import Project
from fabric.workflow.suspect import Suspicion, suspect
from tests.cli.runs import ROOT, run

RAIL = ROOT / "inventory/rail-512"
HEAD = "hosts,rails,collective,gbyte_s\n"
#: What is expected of one rail, GB/s.
USUAL = 45.6


@pytest.fixture(scope="module")
def project() -> Project:
    return Project(RAIL)


def judged(project: Project, folder: Path, *lines: str) -> Suspicion:
    file = folder / "burn-in.csv"
    file.write_text(HEAD + "".join(f"{line}\n" for line in lines))
    return suspect(project, [file])


def each_rail(hosts: str, slow: dict[int, float], kind: str = "all-reduce") -> list[str]:
    top = {"all-reduce": USUAL}.get(kind, USUAL)
    return [f'"{hosts}",{rail},{kind},{top * slow.get(rail, 1):.1f}' for rail in range(8)]


def test_one_nic_at_half_rate(project: Project, tmp_path: Path) -> None:
    suspicion = judged(
        project,
        tmp_path,
        *each_rail("gpu[001-004]", {1: 0.5}),
        *each_rail("gpu[001-002]", {}),
        *each_rail("gpu003,gpu033", {1: 0.51}),
    )
    first = suspicion.suspects[0]
    assert (first.name, first.faults[0][0]) == ("gpu003 eth2", SlowFault.HALF_RATE)
    assert first.probability > 0.99
    assert suspicion.proposal is None
    assert suspicion.is_likely


def test_a_nic_is_named_by_all_of_its_ports(tmp_path: Path) -> None:
    pairs = Project(ROOT / "inventory/dual-tor")
    tests = {"gpu[01-04]": 0.5, "gpu[01-02]": 1.0, "gpu03,gpu05": 0.5, "gpu04,gpu05": 1.0}
    lines = [f'"{hosts}",1,all-reduce,{USUAL * share:.1f}' for hosts, share in tests.items()]
    assert judged(pairs, tmp_path, *lines).suspects[0].name == "gpu03 eth3 eth4"


def test_two_rails_of_a_host(project: Project, tmp_path: Path) -> None:
    lines = [*each_rail("gpu[001-002]", {2: 0.6, 5: 0.6}), *each_rail("gpu001,gpu003", {})]
    first = judged(project, tmp_path, *lines).suspects[0]
    assert (first.name, first.faults[0][0]) == ("gpu002 eth3 eth6", SlowFault.WRONG_RAIL)


def test_a_wrong_dscp_shows_in_an_all_to_all(project: Project, tmp_path: Path) -> None:
    whole = dict.fromkeys(range(8), 0.4)
    lines = [
        *each_rail("gpu[001-002]", {}),
        *each_rail("gpu[001-008]", whole, "all-to-all"),
        *each_rail("gpu[002-009]", {}, "all-to-all"),
    ]
    first = judged(project, tmp_path, *lines).suspects[0]
    assert (first.name, first.faults[0][0]) == ("gpu001", SlowFault.WRONG_DSCP)


def test_two_hosts_say_nothing_of_a_queue_where_senders_meet(
    project: Project, tmp_path: Path
) -> None:
    whole = dict.fromkeys(range(8), 0.4)
    lines = [
        *each_rail("gpu[001-008]", whole, "all-to-all"),
        *each_rail("gpu[001-002]", {}, "all-to-all"),
        *each_rail("gpu[002-009]", {}, "all-to-all"),
    ]
    assert judged(project, tmp_path, *lines).suspects[0].name == "gpu001"


def test_a_second_fault_is_not_explained(project: Project, tmp_path: Path) -> None:
    lines = [
        *each_rail("gpu[001-002]", {1: 0.5}),
        *each_rail("gpu001,gpu005", {1: 0.5}),
        *each_rail("gpu[011-012]", {6: 0.3}),
    ]
    suspicion = judged(project, tmp_path, *lines)
    assert suspicion.suspects[0].name == "gpu001 eth2"
    assert [suspicion.results[number][0].place.line for number in suspicion.far] == [24]
    assert "burn-in.csv:24" in suspicion.sentences()[0]


def test_as_expected(project: Project, tmp_path: Path) -> None:
    reduced = each_rail("gpu[001-064]", {})
    suspicion = judged(project, tmp_path, *reduced)
    assert not suspicion.is_likely, "marks and hashes do not show in it"
    suspicion = judged(project, tmp_path, *reduced, *each_rail("gpu[001-064]", {}, "all-to-all"))
    assert suspicion.suspects[0].name == "no fault"
    assert not suspicion.is_likely


def test_a_share_above_all_is_told(project: Project, tmp_path: Path) -> None:
    told = (
        "a share can be above 100 %: expected is the usual bandwidth, 93% of what the links carry"
    )
    usual = judged(project, tmp_path, *each_rail("gpu[001-064]", {0: 0.99}))
    fast = judged(project, tmp_path, *each_rail("gpu[001-064]", {0: 1.05}))
    assert told in fast.sentences()
    assert usual.sentences().count(told) == any(
        result.gbyte_s > expected for result, expected in usual.results
    )


def test_the_next_test_halves_what_is_suspected(project: Project, tmp_path: Path) -> None:
    suspicion = judged(project, tmp_path, *each_rail("gpu[001-032]", {4: 0.5}))
    assert suspicion.proposal
    assert len(suspicion.proposal.trial.hosts) == 16
    assert suspicion.proposal.bits == pytest.approx(1, abs=0.15)


def test_kinds_are_as_likely_as_each_other_before_any_result(project: Project) -> None:
    listed = hypotheses(project.fabric)
    weight = np.bincount(listed.kind, np.exp(listed.prior))
    assert weight[1:] == pytest.approx(1)


def test_probabilities_sum_up_to_one(project: Project) -> None:
    before = Posterior.before(project.fabric)
    assert before.probability.sum() == pytest.approx(1)
    network = clos(project.fabric)
    assert next_test(project.fabric, network, before).bits > 3


def test_hca_names_the_rails(project: Project, tmp_path: Path) -> None:
    text = (
        "# Collective test starting: all_reduce_perf\n"
        "gpu001:1 NCCL INFO NCCL_IB_HCA set by environment to =mlx5_2\n"
        "#  Rank  0 Group  0 Pid 1 on gpu001 device  0 [0] x\n"
        "#  Rank  1 Group  0 Pid 1 on gpu002 device  0 [0] x\n"
        "#  size count type redop root time algbw busbw #wrong time algbw busbw #wrong\n"
        "1024 256 float sum -1 1.0 1.0 45.0 0 1.0 1.0 45.1 0\n"
    )
    file = tmp_path / "one.txt"
    file.write_text(text)
    ((result, gbyte_s),) = suspect(project, [file]).results
    assert result.gbyte_s == 45.1
    assert gbyte_s == pytest.approx(USUAL, abs=0.1)
    file.write_text(text.replace("mlx5_2", "mlx5_99"))
    with pytest.raises(InputError) as caught:
        suspect(project, [file])
    assert "names no NIC of a rail" in caught.value.findings[0].message


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('"gpu001,other",0,,45', "'other' are not in the inventory"),
        ('"gpu[001-002]",8,,45', "rails: 8 is unknown"),
    ],
    ids=["an unknown host", "an unknown rail"],
)
def test_what_is_wrong_is_named(project: Project, tmp_path: Path, line: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        judged(project, tmp_path, line)
    (finding,) = caught.value.findings
    assert words in finding.message
    assert str(finding.position).endswith("burn-in.csv:2:1")


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "burn-in.csv"
    lines = [*each_rail("gpu[001-002]", {1: 0.5}), *each_rail("gpu001,gpu005", {1: 0.5})]
    file.write_text(HEAD + "\n".join(lines))
    ended = run("suspect", str(RAIL), str(file))
    assert ended.code == 4
    assert "gpu001 eth2" in ended.out
    file.write_text(HEAD + "\n".join(lines[:8]))
    either = run("suspect", str(RAIL), str(file))  # of two NICs, each with less than 50 %
    assert either.code == 4
    assert "gpu002 eth2" in either.out
    first = run("suspect", str(RAIL))
    assert first.code == 0
    assert "next test: all-to-all of 64 hosts" in first.out
    file.write_text(HEAD + "\n".join(each_rail("gpu[001-002]", {})))
    assert run("suspect", str(RAIL), str(file)).code == 0
    file.write_text(HEAD + "\n".join(lines))
    ended = run("suspect", str(RAIL), str(file), "--format", "json")
    assert '"device": "gpu001"' in ended.out


TENANTS = ROOT / "inventory/tenants"
#: A collective of hosts, and what is wrong with it: form of the line, and the message.
APART = {
    '"gpu[001-002]",,all-reduce,20': "gpu001 is of tenant red, gpu002 of blue",
    '"gpu[002,004]",1,all-reduce,10': "gpu002 is of tenant blue, gpu004 in quarantine",
}


def test_a_test_stays_in_one_tenant() -> None:
    suspicion = suspect(Project(TENANTS), [])
    assert suspicion.sentences() == [
        "next test: all-reduce of 2 hosts, each rail separately",
        "hosts: gpu[001,003]",
    ]


def test_a_nic_in_quarantine_is_no_suspect() -> None:
    named = {one.name for one in suspect(Project(TENANTS), [], most=1000).suspects}
    assert "gpu004 eth1" in named
    assert "gpu003 eth1 eth2" in named
    assert not [name for name in named if name.startswith("gpu004") and "eth2" in name]


def test_a_cleared_tenant_is_left_for_another(tmp_path: Path) -> None:
    """Of gpu004, blue has rail 0 alone: the other one is no part of the test."""
    fabric = Project(TENANTS)
    lines = [f'"gpu[001,003]",{rail},{kind},11.4' for rail in (0, 1) for kind in ("all-reduce",)]
    proposal = judged(fabric, tmp_path, *lines).proposal
    assert proposal
    assert (proposal.trial.hosts.tolist(), proposal.trial.rails) == ([1, 3], (0,))


@pytest.mark.parametrize("line", APART)
def test_results_of_several_tenants_are_rejected(tmp_path: Path, line: str) -> None:
    with pytest.raises(InputError) as caught:
        judged(Project(TENANTS), tmp_path, line)
    assert APART[line] in str(caught.value.findings[0])


def test_traffic_of_a_local_tenant_stays_on_its_leaf(tmp_path: Path) -> None:
    text = (TENANTS / "fabric.yaml").read_text().replace("form: evpn", "form: local")
    text = text.replace('"gpu[001,003]"', '"gpu[001-002]"').replace(
        "hosts: gpu002", "hosts: gpu003"
    )
    (tmp_path / "fabric.yaml").write_text(text.replace(", nics: {gpu004: [0]}", ""))
    assert suspect(Project(tmp_path), []).sentences()[1:] == ["hosts: gpu[001-002]"]


def test_tenants_of_single_hosts_have_no_test(tmp_path: Path) -> None:
    text = (TENANTS / "fabric.yaml").read_text().replace('"gpu[001,003]"', "gpu001")
    (tmp_path / "fabric.yaml").write_text(text.replace(", nics: {gpu004: [0]}", ""))
    none = "no test is proposed: no two hosts of one tenant reach each other"
    assert suspect(Project(tmp_path), []).sentences() == [none]
