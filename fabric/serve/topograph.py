"""What asks Topograph can ask the service: a topology of the inventory, in Topograph's own words.

The API is that of NVIDIA/topograph v1 (docs/api.md; pkg/server/http_server.go): POST /v1/generate
answers 202 with an id, GET /v1/topology?uid=ID the text. Where the topology comes from is always
the inventory, so that the provider of a request does not matter. The engine `slurm` writes
``topology.conf`` with ``topology/tree``.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.serve.query import Wrong
from fabric.serve.topology import topology

if TYPE_CHECKING:
    from fabric.serve.requests import GenerateBody
    from fabric.serve.source import Loaded

_ENGINE, _PLUGIN = "slurm", "topology/tree"
#: Results that are kept, as many as Topograph keeps (pkg/server, ``RequestHistorySize``).
MAX_RESULTS = 100


def check(body: GenerateBody, loaded: Loaded) -> set[str]:
    """Return the nodes of a request; empty for all.

    Raises
    ------
    Problem
        400 with what this service does not do, and nodes that it does not know.
    """
    wrong = Wrong(HTTPStatus.BAD_REQUEST)
    if body.engine.name not in {"", _ENGINE}:
        message = f"the engine {body.engine.name[:40]!a} is not supported"
        wrong.add("engine.name", message, f"use {_ENGINE}")
    for name, value in body.engine.params.items():
        if (name, value) != ("plugin", _PLUGIN):
            message = f"{name[:40]!a} with this value is not supported"
            wrong.add("engine.params", message, f"omit it; plugin is {_PLUGIN}")
    nodes = {name for part in body.nodes for name in part.instances.values()}
    unknown = sorted(nodes - set(loaded.fabric.host_row))
    if unknown:
        message = f"{len(unknown)} nodes are missing in the inventory, such as {unknown[0][:64]!a}"
        wrong.add("nodes", message, "GET /v1/hosts lists the hosts")
    wrong.end()
    return nodes


def generate(loaded: Loaded, nodes: set[str]) -> str:
    """Return ``topology.conf``, of some nodes where they are named."""
    text = topology(loaded, _ENGINE)
    return restricted(text, nodes) if nodes else text


def restricted(text: str, nodes: set[str]) -> str:
    """Return a ``topology.conf`` with some of its nodes, and without switches that have none.

    Parameters
    ----------
    text : str
        Our own export: one switch per line, with ``Nodes`` or ``Switches``, children first.
    """
    kept: set[str] = set()
    lines = []
    for line in text.splitlines():
        words = dict(word.partition("=")[::2] for word in line.split())
        name, children = words.get("SwitchName"), words.get("Nodes") or words.get("Switches")
        if not name or not children:
            continue
        wanted = nodes if "Nodes" in words else kept
        left = [child for child in hostlist.expand(children) if child in wanted]
        if left:
            kind = "Nodes" if "Nodes" in words else "Switches"
            lines.append(f"SwitchName={name} {kind}={hostlist.fold(left)}")
            kept.add(name)
    return "\n".join(lines) + "\n"
