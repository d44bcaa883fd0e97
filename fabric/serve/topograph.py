"""What asks Topograph can ask the service: a topology of the inventory, in Topograph's own words.

The API is that of NVIDIA/topograph v1 (docs/api.md; pkg/server/http_server.go): POST /v1/generate
answers 202 with an id, GET /v1/topology?uid=ID the text. Where the topology comes from is always
the inventory, so that the provider of a request does not matter. The engine `slurm` writes
``topology.conf`` with ``topology/tree`` or ``topology/block``, and ``topology.yaml`` with several
of them (pkg/engines/slurm, pkg/translate). A block is a unit, as in `rocefab export slurm`.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fabric.core.counts import counted
from fabric.placement.exporters.slurm import (
    block_entry,
    block_text,
    topologies_text,
    tree_entry,
    tree_notes,
    tree_text,
)
from fabric.placement.tree import Tree, tree
from fabric.serve.query import Wrong
from fabric.serve.topology import topology

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.serve.requests import GenerateBody, GenerateParams, GenerateTopology
    from fabric.serve.source import Loaded

_BLOCK, _FLAT = "topology/block", "topology/flat"
#: Results that are kept, as many as Topograph keeps (pkg/server, ``RequestHistorySize``).
MAX_RESULTS = 100


@dataclass(frozen=True)
class TopologyRequest:
    """A request that was checked against the inventory.

    Parameters
    ----------
    params : GenerateParams
        What the engine writes.
    nodes : frozenset of str
        Hosts of the topology; empty for all.
    """

    params: GenerateParams
    nodes: frozenset[str]


def check(body: GenerateBody, loaded: Loaded) -> TopologyRequest:
    """Return what a request is for.

    Raises
    ------
    Problem
        400 with what contradicts itself, and nodes that the inventory lacks.
    """
    wrong, params = Wrong(status=HTTPStatus.BAD_REQUEST), body.engine.params
    nodes = frozenset(name for part in body.nodes for name in part.instances.values())
    _check_nodes("nodes", nodes, loaded, wrong)
    if params.topologies is not None and (params.plugin or params.block_sizes):
        message = "plugin and blockSizes are set for each of the topologies"
        wrong.add("engine.params.plugin", message, "omit plugin and blockSizes, or topologies")
    has_blocks = params.plugin == _BLOCK
    _check_sizes("engine.params", params.block_sizes, wrong, is_block=has_blocks)
    for name, one in (params.topologies or {}).items():
        field = f"engine.params.topologies.{name}"
        _check_nodes(f"{field}.nodes", one.nodes, loaded, wrong)
        _check_sizes(field, one.block_sizes, wrong, is_block=one.plugin == _BLOCK)
        has_blocks |= one.plugin == _BLOCK
    if has_blocks and tree(loaded.fabric).apart:
        message = "no spine connects the units, but a job in blocks may span several"
        wrong.add("engine.params", message, "use topology/tree")
    wrong.end()
    return TopologyRequest(params, nodes)


def _check_nodes(field: str, nodes: Iterable[str], loaded: Loaded, wrong: Wrong) -> None:
    unknown = sorted(set(nodes) - set(loaded.fabric.host_row))
    if unknown:
        message = (
            f"{counted(len(unknown), 'node is', 'nodes are')} missing in the inventory, such as "
            f"{unknown[0][:64]!a}"
        )
        wrong.add(field, message, "GET /v1/hosts lists the hosts")


def _check_sizes(where: str, sizes: list[int], wrong: Wrong, *, is_block: bool) -> None:
    """Check sizes of blocks as Topograph does: each is the one before times a power of two."""
    field = f"{where}.blockSizes"
    if sizes and not is_block:
        wrong.add(field, "only blocks have sizes", f"omit it, or use the plugin {_BLOCK}")
    for before, size in pairwise(sizes):
        times, rest = divmod(size, before)
        if rest or times < 2 or times & (times - 1):  # noqa: PLR2004 - the first power
            message = f"{size} is not {before} times 2, 4, 8 or another power of two"
            wrong.add(field, message, "use sizes such as 4, 8, 16")
            return


def generate(loaded: Loaded, wanted: TopologyRequest) -> str:
    """Return the text of a topology.

    Raises
    ------
    InputError
        When the inventory does not pass its check.
    """
    topology(loaded, "slurm")  # an inventory with errors is not written
    made, params = tree(loaded.fabric), wanted.params
    made = made.limited_to(wanted.nodes) if wanted.nodes else made
    if params.topologies is not None:
        listed = [
            {"topology": name, "cluster_default": one.cluster_default, **_entry(made, one)}
            for name, one in sorted(params.topologies.items())
        ]
        return topologies_text(listed, tree_notes(made))
    if params.plugin == _BLOCK:
        return block_text(made, tuple(params.block_sizes) or made.block_sizes)
    return tree_text(made)


def _entry(made: Tree, one: GenerateTopology) -> dict[str, Any]:
    if one.plugin == _FLAT:
        return {"flat": True}
    mine = made.limited_to(frozenset(one.nodes)) if one.nodes else made
    if one.plugin == _BLOCK:
        return block_entry(mine, tuple(one.block_sizes) or mine.block_sizes)
    return tree_entry(mine)
