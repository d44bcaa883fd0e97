"""The scheduler extender of Kubernetes: which nodes a pod may use, and which are best.

The shapes are ExtenderArgs, ExtenderFilterResult and HostPriorityList of
k8s.io/kube-scheduler/extender/v1 (types.go); scores are 0 to 10 (MaxExtenderPriority). The
scheduler asks pod by pod. The pods of one owner (a Job, a StatefulSet, a PodGroup) are one job:
the annotation ``rocefab/nodes`` says how many hosts it has. The first pod of an owner makes a
placement, and the others are sent to the hosts of it.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.errors import InputError
from fabric.placement.engine.query import Query
from fabric.placement.engine.traffic import RING, Traffic, parse_traffic

if TYPE_CHECKING:
    from fabric.placement.engine.engine import Engine
    from fabric.serve.requests import ExtenderBody

#: Annotations of a pod: hosts of its job, and its traffic as in ``POST /v1/placements``.
NODES, TRAFFIC = "rocefab/nodes", "rocefab/traffic"
#: MaxExtenderPriority of k8s.io/kube-scheduler/extender/v1; hosts of the same unit get half.
BEST, NEAR = 10, 5
#: Owners whose placement is remembered.
_MAX_OWNERS = 1024
_MAX_DIGITS = 6


@dataclass(frozen=True)
class Pod:
    """What a pod says of its job.

    Parameters
    ----------
    owner : str
        UID of what made the pod; its own UID where nothing did.
    nodes : int
        Hosts of the job.
    """

    owner: str
    nodes: int = 1
    traffic: Traffic = RING


def pod_of(body: ExtenderBody) -> Pod:
    """Return the pod; annotations that cannot be read are a job of one host, with a ring."""
    metadata = _mapping((body.pod or {}).get("metadata"))
    annotations = _mapping(metadata.get("annotations"))
    owners = metadata.get("ownerReferences")
    first = _mapping(owners[0]) if isinstance(owners, list) and owners else metadata
    nodes, traffic = str(annotations.get(NODES, "")), RING
    try:
        traffic = parse_traffic(str(annotations.get(TRAFFIC, "ring")))
    except ValueError:
        nodes = ""
    known = nodes.isascii() and nodes.isdigit() and len(nodes) <= _MAX_DIGITS
    return Pod(str(first.get("uid", "")), int(nodes) or 1 if known else 1, traffic)


def names_of(body: ExtenderBody) -> list[str]:
    """Return the names of the candidate nodes, from names or from whole nodes."""
    if body.node_names is not None:
        return body.node_names
    return [name for node in _items(body) if (name := _name(node))]


def filtered(body: ExtenderBody, engine: Engine) -> dict[str, Any]:
    """Return ``ExtenderFilterResult``: nodes that are no hosts, or not usable now, fail."""
    names = names_of(body)
    known = [name for name in names if name in engine.fabric.host_row]
    failed = {name: "no host of the fabric" for name in names if name not in engine.fabric.host_row}
    failed |= _unusable(engine, known)
    left = [name for name in names if name not in failed]
    result: dict[str, Any] = {"FailedNodes": failed, "Error": ""}
    if body.node_names is not None:
        return {"NodeNames": left, **result}
    kept = set(left)
    items = [node for node in _items(body) if _name(node) in kept]
    return {"Nodes": {**(body.nodes or {}), "items": items}, **result}


def _unusable(engine: Engine, names: list[str]) -> dict[str, str]:
    """Return the hosts that take no job now, and why."""
    columns = np.arange(engine.fabric.nics_per_host)
    usable = engine.index.available.usable(columns)
    rows = engine.fabric.host_row
    return {
        name: usable.reasons.get(rows[name], "it runs a job, or lacks a NIC")
        for name in names
        if not (usable.healthy[rows[name]] or usable.graded[rows[name]])
    }


class Prioritiser:
    """Scores nodes; remembers the placement of each owner until its hosts are no candidates."""

    def __init__(self) -> None:
        self._placements: OrderedDict[str, frozenset[int]] = OrderedDict()

    def scores(self, body: ExtenderBody, engine: Engine) -> list[dict[str, Any]]:
        """Return ``HostPriorityList``."""
        pod, names = pod_of(body), names_of(body)
        rows = [engine.fabric.host_row.get(name, -1) for name in names]
        chosen = self._chosen(pod, frozenset(row for row in rows if row >= 0), engine)
        units = {int(engine.fabric.hosts.unit[row]) for row in chosen}
        near = [row >= 0 and int(engine.fabric.hosts.unit[row]) in units for row in rows]
        return [
            {"Host": name, "Score": BEST if row in chosen else NEAR if is_near else 0}
            for name, row, is_near in zip(names, rows, near, strict=True)
        ]

    def _chosen(self, pod: Pod, candidates: frozenset[int], engine: Engine) -> frozenset[int]:
        """Return the hosts of the pod's job: those of an earlier pod while one of them is left."""
        known = self._placements.get(pod.owner, frozenset())
        if known & candidates:
            return known
        names = engine.fabric.hosts.names
        include = tuple(names[row] for row in sorted(candidates))
        nodes = min(pod.nodes, len(include))
        try:
            answer = engine.place(Query(nodes=nodes, traffic=pod.traffic, include=include))
        except InputError:
            return frozenset()
        chosen = frozenset(answer.rows.tolist())
        self._placements[pod.owner] = chosen
        while len(self._placements) > _MAX_OWNERS:
            self._placements.popitem(last=False)
        return chosen


def _name(node: Any) -> str:
    """Return the name of a node; empty for what is no node."""
    name = _mapping(_mapping(node).get("metadata")).get("name")
    return name if isinstance(name, str) else ""


def _items(body: ExtenderBody) -> list[Any]:
    items = (body.nodes or {}).get("items")
    return items if isinstance(items, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
