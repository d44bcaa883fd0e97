"""Topograph's models, imported and exported: the trees and blocks that Topograph itself writes.

ROCEFAB_TOPOGRAPH names a checkout of NVIDIA/topograph in which there is a program, by
`go build -o bin/topograph ./cmd/topograph`. Its provider ``test`` simulates the models.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from fabric.core import hostlist
from tests.workflow.test_tree_imports import imported, shape, slurm

MODELS = ("small-tree", "medium", "large", "nvl72", "dual-xclr-regular", "dual-xclr-irregular")
#: Models with accelerator domains of several leaves: Topograph adds empty blocks and other sizes.
NESTED = {"dual-xclr-regular", "dual-xclr-irregular"}
WAIT_S = 60.0
#: A block of Topograph without hosts, by its keys.
PADDING = repr([("block", "str")])
Ask = Callable[[str, dict[str, Any]], str]
TREE, BLOCK = ({"plugin": f"topology/{word}"} for word in ("tree", "block"))


def _folder() -> Path:
    folder = Path(os.environ.get("ROCEFAB_TOPOGRAPH") or "/nonexistent")
    if not (folder / "bin" / "topograph").is_file():
        pytest.skip("no bin/topograph; set ROCEFAB_TOPOGRAPH to a checkout where it is built")
    return folder


@pytest.fixture(scope="module")
def topograph(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Run the real service; yield what asks it for the topology of a model."""
    folder, own = _folder(), tmp_path_factory.mktemp("topograph")
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        port = server.getsockname()[1]
    settings = {
        "http": {"port": port, "ssl": False},
        "requestAggregationDelay": "100ms",
        "provider": "test",
        "engine": "slurm",
    }
    (own / "config.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    words = [str(folder / "bin" / "topograph"), "-c", str(own / "config.yaml")]
    with (
        (own / "log").open("wb") as log,
        subprocess.Popen(words, stdout=log, stderr=log) as process,
    ):
        try:
            yield partial(_topology, f"http://127.0.0.1:{port}/v1")
        finally:
            process.terminate()


def _topology(url: str, model: str, params: dict[str, Any]) -> str:
    provider = {
        "generateResponseCode": 202,
        "topologyResponseCode": 200,
        "modelFileName": f"{model}.yaml",
    }
    body = {
        "provider": {"name": "test", "params": provider},
        "engine": {"name": "slurm", "params": params},
    }
    headers = {"Content-Type": "application/json"}
    asked = urllib.request.Request(f"{url}/generate", json.dumps(body).encode(), headers)
    number = _until(asked, 202)
    return _until(urllib.request.Request(f"{url}/topology?uid={number}"), 200)


def _until(asked: urllib.request.Request, status: int) -> str:
    """Return the answer with a status; before it starts, and while it works, ask again."""
    deadline = time.monotonic() + WAIT_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(asked, timeout=WAIT_S) as answer:
                if answer.status == status:
                    return str(answer.read().decode())
        except urllib.error.HTTPError as error:
            pytest.fail(f"Topograph: {error} {error.read().decode()[:300]}")
        except OSError:
            pass
        time.sleep(0.1)
    pytest.fail("Topograph does not answer")


def _blocks(text: str) -> tuple[frozenset[frozenset[str]], str]:
    """Return the hosts of blocks that have any, and the sizes."""
    hosts = re.findall(r"^BlockName=\S+ Nodes=(\S+)", text, re.MULTILINE)
    return frozenset(frozenset(hostlist.expand(it)) for it in hosts), text.rpartition("=")[2]


@pytest.mark.parametrize("model", MODELS)
def test_trees_are_those_of_topograph(model: str, topograph: Ask, tmp_path: Path) -> None:
    """A switch without hosts is written by Topograph as ``Nodes=``; it is nothing."""
    source = _folder() / "tests" / "models" / f"{model}.yaml"
    theirs = topograph(model, TREE)
    filled = "\n".join(line for line in theirs.splitlines() if not line.endswith("Nodes="))
    ours = slurm(imported("topograph", source, tmp_path / "out"))
    assert shape(ours) == shape(filled)
    (tmp_path / "topology.conf").write_text(filled, encoding="utf-8")
    assert shape(slurm(imported("slurm", tmp_path / "topology.conf", tmp_path / "in"))) == shape(
        ours
    )


@pytest.mark.parametrize("model", MODELS)
def test_blocks_are_those_of_topograph(model: str, topograph: Ask, tmp_path: Path) -> None:
    """And their sizes, but for models with domains inside of domains."""
    source = _folder() / "tests" / "models" / f"{model}.yaml"
    ours = _blocks(slurm(imported("topograph", source, tmp_path / "out"), "block"))
    theirs = _blocks(topograph(model, BLOCK).strip() + "\n")
    assert ours[0] == theirs[0]
    assert (ours[1] == theirs[1]) is (model not in NESTED)


@pytest.mark.parametrize("model", MODELS)
def test_topology_yaml_is_that_of_topograph(model: str, topograph: Ask, tmp_path: Path) -> None:
    """The same keys in the same order, and the same values but for names and nested domains."""
    source = _folder() / "tests" / "models" / f"{model}.yaml"
    project = imported("topograph", source, tmp_path / "out")
    nodes = [hostlist.fold(project.fabric.hosts.names)]
    params = {
        "topologies": {
            "blocks": {**BLOCK, "nodes": nodes},
            "roce": {**TREE, "nodes": nodes, "clusterDefault": True},
        }
    }
    theirs = {one["topology"]: one for one in yaml.safe_load(topograph(model, params))}
    ours = {one["topology"]: one for one in yaml.safe_load(slurm(project, "topology-yaml"))}
    assert {name: _keys(one) for name, one in ours.items()} == {
        name: _keys(one) for name, one in theirs.items()
    }
    assert [shape(_conf(one["roce"])) for one in (ours, theirs)] == [
        shape(slurm(project)),
        shape(slurm(project)),
    ]
    inner = [one["blocks"]["block"] for one in (ours, theirs)]
    hosts = [[row["nodes"] for row in one["blocks"] if "nodes" in row] for one in inner]
    assert hosts[0] == hosts[1]
    assert (inner[0]["block_sizes"] == inner[1]["block_sizes"]) is (model not in NESTED)


def _keys(value: Any) -> object:
    """Return the keys of a tree of data, each kind of row of a list once."""
    if isinstance(value, dict):
        return [(key, _keys(value[key])) for key in value]
    if isinstance(value, list):
        return {repr(_keys(item)) for item in value} - {PADDING}
    return type(value).__name__


def _conf(topology: dict[str, Any]) -> str:
    rows = topology["tree"]["switches"]
    words = {"children": "Switches", "nodes": "Nodes"}
    return "\n".join(
        f"SwitchName={row['switch']} {words[key]}={row[key]}"
        for row in rows
        for key in words
        if key in row
    )
