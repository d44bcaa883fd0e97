"""Options that a part of an export does not use are rejected, and the parts that do are named."""

from __future__ import annotations

from contextlib import suppress

import pytest

from fabric.core.errors import InputError
from fabric.core.exports import About, exporters
from fabric.placement.export import JobWords, Order
from fabric.workflow.export_options import options_of
from fabric.workflow.init import example
from fabric.workflow.project import Project
from tests.cli.runs import DEMO, run

#: Options of a job, by the field of an order that they fill.
_FIELDS = {
    "nodes": {"--nodes"},
    "gpus_per_node": {"--gpus-per-node"},
    "excluded": {"--exclude"},
    "hosts": {"--hosts"},
    "tenant": {"--tenant"},
    "job": {"--nccl-version", "--class"},
    "users": {"--environment"},
    "words": {"--name", "--image", "--command"},
    "template": {"--template"},
    "served": {"--cluster-versions"},
}


class _Watched(Order):
    """An order that notes which of its fields a part reads."""

    def __getattribute__(self, name):
        if name in _FIELDS:
            object.__getattribute__(self, "__dict__").setdefault("read", set()).add(name)
        return super().__getattribute__(name)


@pytest.fixture(scope="module")
def fabric():
    return Project(example("demo")).fabric


def test_options_are_those_that_parts_read(fabric):
    """Of the whole order a part reads the fields of its options, and no others."""
    wrong = []
    for form, exporter in exporters.items():
        for part, write in exporter.parts.items() if exporter.about is About.JOB else ():
            order = _Watched(fabric, words=JobWords("", "train:1", ("true",)))
            options = set(options_of(exporter, part))
            used = {name for name, of_field in _FIELDS.items() if of_field & options}
            with suppress(InputError):  # the demo does not have what all parts need
                write(order)
                used ^= set(order.__dict__.get("read", ()))
                wrong += [(form, part, used)] if used else []
    assert not wrong


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param(
            ("slurm", DEMO, "--avoid-state", "state.json"),
            "--avoid-state: slurm (topology) does not use --avoid-state; omit it; it is used by "
            "node-health [PLC038]",
            id="state",
        ),
        pytest.param(
            ("slurm", DEMO, "--what", "hostfile", "--nodes", "2", "--avoid-state", "x"),
            "let `rocefab place --avoid-state` choose the hosts, and name them with --hosts",
            id="state of hosts",
        ),
        pytest.param(
            ("slurm", DEMO, "--nodes", "2"),
            "--nodes: slurm (topology) does not use --nodes; omit it, or add --what hostfile, "
            "which uses it [PLC038]",
            id="nodes",
        ),
        pytest.param(
            ("dot", DEMO, "--exclude", "gpu001"),
            "k8s, k8stopo (nodes, node-features, volcano, leaderworkerset, jobset)",
            id="exclude",
        ),
        pytest.param(("labels", DEMO, "--spare", "5"), "it is used by bom [PLC038]", id="spare"),
    ],
)
def test_an_option_without_use_is_rejected(words, said):
    ended = run("export", *words)
    assert ended.code == 2
    assert said in ended.err


def test_each_option_is_named():
    ended = run("export", "kueue", DEMO, "--nodes", 2, "--exclude", "gpu001")
    assert ended.code == 2
    assert ended.err.count("[PLC038]") == 2


def test_a_variable_may_be_set_for_other_forms(monkeypatch):
    monkeypatch.setenv("ROCEFAB_NODES", "2")
    assert run("export", "slurm", DEMO).code == 0
