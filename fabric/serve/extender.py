"""The scheduler extender of Kubernetes: which nodes a pod may use, and which are best.

The shapes are ExtenderArgs, ExtenderFilterResult and HostPriorityList of
k8s.io/kube-scheduler/extender/v1 (types.go); scores are 0 to 10 (MaxExtenderPriority). The
scheduler asks pod by pod. The pods of one owner (a Job, a StatefulSet, a PodGroup) are one job:
the annotation ``rocefab/nodes`` says how many hosts it has. The first pod of an owner makes a
placement, and the others are sent to the hosts of it. A job stays in one tenant. What is wrong with
an annotation is the reason of every node: the scheduler shows it as an event of the pod, while it
skips an extender that is ``ignorable`` and answers with an error.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from fabric.core.errors import InputError
from fabric.core.shown import closest
from fabric.placement.engine.query import Query
from fabric.placement.engine.tenancy import quarantined_hosts, tenant_hosts
from fabric.placement.engine.traffic import RING, Traffic, parse_traffic
from fabric.placement.k8s.labels import TENANT_LABEL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.placement.engine.engine import Engine
    from fabric.serve.requests import ExtenderBody
    from fabric.topology.model import Fabric

#: Annotations of a pod: hosts of its job, what they send, and its tenant, as `JobRequest` has them.
NODES, TRAFFIC, TENANT = "rocefab/nodes", "rocefab/traffic", "rocefab/tenant"
_PREFIX, _KNOWN = "rocefab/", (NODES, TRAFFIC, TENANT)
#: MaxExtenderPriority of k8s.io/kube-scheduler/extender/v1; hosts of the same unit get half.
BEST, NEAR = 10, 5
#: Owners whose placement is remembered.
_MAX_OWNERS = 1024
_MAX_DIGITS = 6
#: Letters of a value, and of what is wrong with a traffic, that a reason shows; our choice.
_SHOWN, _MAX_REASON = 40, 200


@dataclass(frozen=True)
class Pod:
    """What a pod says of its job.

    Parameters
    ----------
    owner : str
        UID of what made the pod; its own UID where nothing did.
    nodes : int
        Hosts of the job.
    tenant : str
        Tenant of the job; empty for hosts without a tenant.
    wrong : str
        The annotations that cannot be met, and why; empty where all can.
    """

    owner: str
    nodes: int = 1
    traffic: Traffic = RING
    tenant: str = ""
    wrong: str = ""


def pod_of(body: ExtenderBody, fabric: Fabric) -> Pod:
    """Return the pod; no node fits one with an annotation that cannot be met."""
    pod = body.pod
    metadata = _mapping(pod.get("metadata"))
    annotations = _mapping(metadata.get("annotations"))
    owners = metadata.get("ownerReferences")
    first = _mapping(owners[0]) if isinstance(owners, list) and owners else metadata
    nodes, tenant = str(annotations.get(NODES, "1")), _tenant(pod, annotations)
    wrong = [*_unknown(annotations), *_wrong(nodes, tenant, fabric)]
    traffic = RING
    try:
        traffic = parse_traffic(str(annotations.get(TRAFFIC, "ring")))
    except ValueError as error:
        wrong.append(f"{TRAFFIC}: {ascii(str(error)[:_MAX_REASON])[1:-1]}")
    count = 1 if wrong else int(nodes)
    return Pod(str(first.get("uid", "")), count, traffic, tenant, "; ".join(wrong))


def _tenant(pod: dict[str, Any], annotations: dict[str, Any]) -> str:
    """Return the tenant of a pod: that of its annotation, else of the nodes that it selects."""
    selected = _mapping(_mapping(pod.get("spec")).get("nodeSelector"))
    return str(annotations.get(TENANT) or selected.get(TENANT_LABEL) or "")


def _unknown(annotations: dict[str, Any]) -> Iterator[str]:
    """Yield the annotations that look like ours and are none: a typing error is not passed over."""
    for name in annotations:
        if name.startswith(_PREFIX) and name not in _KNOWN:
            near = closest(
                name.removeprefix(_PREFIX), [own.removeprefix(_PREFIX) for own in _KNOWN]
            )
            fix = f"did you mean {_PREFIX}{near}?" if near else f"known are {', '.join(_KNOWN)}"
            yield f"{name[:_SHOWN]!a} is not an annotation of rocefab; {fix}"


def _wrong(nodes: str, tenant: str, fabric: Fabric) -> Iterator[str]:
    if tenant and tenant not in (fabric.tenants.names if fabric.tenants else ()):
        yield f"{TENANT} is {tenant[:_SHOWN]!a}, but the fabric has no such tenant"
        tenant = ""
    size = int(tenant_hosts(fabric, tenant, np.arange(fabric.nics_per_host)).sum())
    of = (
        f", the hosts {f'of tenant {tenant}' if tenant else 'without one'}"
        if fabric.tenants
        else ""
    )
    known = nodes.isascii() and nodes.isdigit() and len(nodes) <= _MAX_DIGITS
    if not (
        known and 1 <= int(nodes) <= (size or len(fabric.hosts))
    ):  # of none, each node says why
        most = f"{size}{of}" if size else str(len(fabric.hosts))
        yield f"{NODES} is {nodes[:_SHOWN]!a}, but must be a number from 1 to {most}"


def names_of(body: ExtenderBody) -> list[str]:
    """Return the names of the candidate nodes, from names or from whole nodes."""
    if body.node_names is not None:
        return body.node_names
    return [name for node in _items(body) if (name := _name(node))]


def filtered(body: ExtenderBody, engine: Engine) -> dict[str, Any]:
    """Return ``ExtenderFilterResult``: nodes that are no hosts, or not usable now, fail."""
    pod, names = pod_of(body, engine.fabric), names_of(body)
    rows = engine.fabric.host_row
    failed = {name: "no host of the fabric" for name in names if name not in rows}
    failed |= _unusable(engine, pod, [name for name in names if name in rows])
    left = [name for name in names if name not in failed]
    result: dict[str, Any] = {"FailedNodes": failed, "Error": ""}
    if body.node_names is not None:
        return {"NodeNames": left, **result}
    kept = set(left)
    items = [node for node in _items(body) if _name(node) in kept]
    return {"Nodes": {**(body.nodes or {}), "items": items}, **result}


def _unusable(engine: Engine, pod: Pod, names: list[str]) -> dict[str, str]:
    """Return the hosts that this pod cannot have, and why."""
    if pod.wrong:
        return dict.fromkeys(names, pod.wrong)
    columns = np.arange(engine.fabric.nics_per_host)
    mine = tenant_hosts(engine.fabric, pod.tenant, columns)
    rows = engine.fabric.host_row
    why = f"not for pods without a tenant; set the annotation {TENANT}"
    if pod.tenant:
        why = f"tenant {pod.tenant} does not have all its NICs"
    others = {name: why for name in names if not mine[rows[name]]}
    if not pod.tenant:
        alone = quarantined_hosts(engine.fabric, columns)
        others |= {name: "its NICs are in quarantine" for name in others if alone[rows[name]]}
    return {**engine.stopped([name for name in names if name not in others], columns), **others}


class Prioritiser:
    """Scores nodes; remembers the placement of each owner until its hosts are no candidates."""

    def __init__(self) -> None:
        self._placements: OrderedDict[str, frozenset[int]] = OrderedDict()

    def scores(self, body: ExtenderBody, engine: Engine) -> list[dict[str, Any]]:
        """Return ``HostPriorityList``."""
        pod, names = pod_of(body, engine.fabric), names_of(body)
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
        names = [engine.fabric.hosts.names[row] for row in sorted(candidates)]
        unusable = _unusable(engine, pod, names)
        include = tuple(name for name in names if name not in unusable)
        query = Query(
            nodes=min(pod.nodes, len(include)),
            traffic=pod.traffic,
            include=include,
            tenant=pod.tenant,
        )
        try:
            answer = engine.place(query)
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
