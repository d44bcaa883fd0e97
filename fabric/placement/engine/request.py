"""A query that was checked against the fabric: rows and columns in place of names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fabric.core import hostlist
from fabric.core.counts import counted, noun
from fabric.core.errors import NeverFitsError, NoRoomError, UnplaceableError
from fabric.core.findings import Finding, Severity
from fabric.core.shown import listed, printable
from fabric.placement.engine.query import JOB_RULE, Within
from fabric.placement.engine.rails import used_columns
from fabric.placement.engine.tenancy import tenant_hosts, wrong_tenant
from fabric.topology.layout import pod_names
from fabric.topology.naming import hint, unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.placement.engine.availability import Usable
    from fabric.placement.engine.demand import Demand
    from fabric.placement.engine.index import Index
    from fabric.placement.engine.load import Loads
    from fabric.placement.engine.query import Query
    from fabric.placement.engine.search import Problem
    from fabric.topology.model import Bools, Fabric, Ints


def needed(nodes: int) -> str:
    """Return the start of a message: so many hosts are needed."""
    return f"{counted(nodes, 'host is', 'hosts are')} needed"


def named_twice(names: Sequence[str]) -> tuple[str, str]:
    """Return what is wrong with hosts that are named more than once, and what to do."""
    are = "is" if len(names) == 1 else "are"
    shown = printable(hostlist.in_short(names))
    return f"{shown} {are} named twice", "name each host once"


def _too_large(fabric: Fabric, request: Request) -> NeverFitsError:
    """Return the error of more nodes than the hosts that the job may have.

    Of a tenant it says nothing of the hosts of others: a tenant reads it.
    """
    query, size, gpus = request.query, request.size, fabric.intent.fabric.host.gpus
    fix = f"request at most {counted(size, 'node')}"
    if query.tenant:
        has = _of_tenant(request)
        partial = request.tenant_hosts > size and request.gpus > 1
        fix += ", or use fewer GPUs of each" if partial else ""
    elif fabric.tenants:
        has = f"the fabric has {size} without a tenant"
    else:
        has = f"the fabric has {size}"
        fix += f": with {counted(gpus, 'GPU')} each they have {size * gpus}"
    finding = Finding("PLC001", Severity.ERROR, f"{needed(query.nodes)}, but {has}", fix, "nodes")
    return NeverFitsError("the job cannot be placed", [finding])


def _of_tenant(request: Request) -> str:
    """Return how many hosts a tenant has, and on how many of them it has what the job uses."""
    hosts, size = counted(request.tenant_hosts, "host"), request.size
    if request.tenant_hosts == size:
        return f"tenant {request.query.tenant} has {hosts}"
    has = f"only {size} {'has' if size == 1 else 'have'} all NICs that the job uses"
    return f"of the {hosts} of tenant {request.query.tenant} {has}"


def unplaceable(message: str, fix: str) -> NoRoomError:
    """Return the error of a job for which there are no hosts."""
    finding = Finding("PLC001", Severity.ERROR, message, fix)
    return NoRoomError("the job cannot be placed", [finding])


@dataclass(frozen=True, eq=False)
class Request:
    """A query in rows.

    Parameters
    ----------
    gpus : int
        GPUs of each host that the job uses.
    columns : array of int
        Columns that they use.
    hosts, include, exclude : array of int
        Rows of the hosts that are named.
    allowed : array of bool, shape (hosts,)
        Hosts that its tenant, or a job without one, may have.
    tenant_hosts : int
        Hosts of which the tenant has a NIC, whether or not the job uses it; 0 without a tenant.
    is_local : bool
        Whether the traffic of its tenant stays on a leaf, so that all hosts must have the same.
    """

    query: Query
    gpus: int
    columns: Ints
    hosts: Ints
    include: Ints
    exclude: Ints
    allowed: Bools
    tenant_hosts: int = 0
    is_local: bool = False

    @property
    def most_groups(self) -> int | None:
        """The most groups of leaves that it may use; None for any number."""
        is_close = self.is_local or self.query.within in {Within.UNIT, Within.BLOCK}
        return 1 if is_close else self.query.max_units

    @property
    def size(self) -> int:
        """How many hosts the tenant, or a job without one, may have."""
        return int(self.allowed.sum())


def has_pods(fabric: Fabric) -> bool:
    """Tell whether units are in pods: all of them, or none."""
    return bool((fabric.switches.pod >= 0).any())


def resolve(fabric: Fabric, query: Query) -> Request:
    """Return a query in rows.

    Raises
    ------
    UnplaceableError
        With everything that is wrong with it; NeverFitsError where its tenant, or the fabric, has
        fewer hosts than it needs.
    """
    wrong = [
        Finding(JOB_RULE, Severity.ERROR, message, fix, field=field)
        for field, message, fix in _wrong(fabric, query)
    ]
    if wrong:
        raise UnplaceableError("the job cannot be placed", wrong)
    gpus = query.gpus_per_node or fabric.intent.fabric.host.gpus
    columns = used_columns(fabric, gpus)
    if others := list(wrong_tenant(fabric, query, columns)):
        findings = [
            Finding(JOB_RULE, Severity.ERROR, *words[1:], field=words[0]) for words in others
        ]
        raise UnplaceableError("the job cannot be placed", findings)
    allowed = tenant_hosts(fabric, query.tenant, columns)
    hosts, include, exclude = (
        _rows(fabric, names) for names in (query.hosts, query.include, query.exclude)
    )
    own = 0
    if tenants := fabric.tenants:
        include = include if len(include) else np.flatnonzero(allowed)
        row = tenants.row(query.tenant)
        own = 0 if row is None else len(tenants.devices(row, fabric.nics.host))
    is_local = bool(tenants and tenants.is_local and query.tenant)
    request = Request(query, gpus, columns, hosts, include, exclude, allowed, own, is_local)
    if query.nodes > request.size:  # before arrays of that length are made
        raise _too_large(fabric, request)
    return request


def _rows(fabric: Fabric, names: tuple[str, ...]) -> Ints:
    return np.array([fabric.host_row[name] for name in names], dtype=np.int64)


def _wrong(fabric: Fabric, query: Query) -> Iterator[tuple[str, str, str]]:
    yield from _wrong_numbers(fabric, query)
    for field, names in (
        ("hosts", query.hosts),
        ("include", query.include),
        ("exclude", query.exclude),
    ):
        strange = sorted(name[:80] for name in set(names) if name not in fabric.host_row)
        if strange:
            yield field, unknown("host", strange), hint("host", strange[0], fabric.hosts.names)
    if query.within is Within.POD and not has_pods(fabric):
        yield "within", "the fabric has no pods", "use unit, or omit within"
    if twice := hostlist.doubled(query.hosts):
        yield "hosts", *named_twice(twice)
    if both := sorted({*query.hosts} & {*query.exclude}):
        yield "hosts", f"{both[0][:80]!a} is excluded as well", "name another host"
    if query.hosts and len(query.hosts) != query.nodes:
        message = (
            f"{counted(len(query.hosts), 'host')} named, {counted(query.nodes, 'node')} in the job"
        )
        yield "hosts", message, "name as many hosts as nodes"
    if query.traffic.layout:
        try:
            gpus = query.gpus_per_node or fabric.intent.fabric.host.gpus
            query.traffic.layout.check(query.nodes, gpus)
        except ValueError as error:
            fix = "make the product of the sizes the number of ranks, and give bytes of its sizes"
            yield "layout", str(error), fix


def _wrong_numbers(fabric: Fabric, query: Query) -> Iterator[tuple[str, str, str]]:
    gpus = fabric.intent.fabric.host.gpus
    if query.nodes < 1 or (query.gpus_per_node is not None and query.gpus_per_node < 1):
        yield "nodes", "a job needs at least one node and one GPU", "increase the number"
    if query.gpus_per_node is not None and query.gpus_per_node > gpus:
        message = (
            f"{counted(query.gpus_per_node, 'GPU per node is', 'GPUs per node are')} needed, but "
            f"the hosts have {gpus}"
        )
        yield "gpus_per_node", message, _more_nodes(fabric, query)
    if query.segment is not None and (query.segment < 1 or query.nodes % query.segment):
        message = (
            f"segments of {counted(query.segment, 'host')} do not divide "
            f"{counted(query.nodes, 'node')}"
        )
        yield "segment", message, "use a divisor of the number of nodes"
    if query.max_units is not None and query.max_units < 1:
        yield "max_units", "a job needs at least one unit", "increase the number"
    if not 0 <= query.target <= 1:
        yield "target", f"{query.target} is not between 0 and 1", "1 is the rate of the NICs"
    if not 0 <= query.room < float("inf"):
        yield "room", f"{query.room} is not a share of at least 0", "0.1 accepts 10 % more cost"
    if query.nvlink_gpus is not None and (query.nvlink_gpus < gpus or query.nvlink_gpus % gpus):
        message = (
            f"an NVLink domain of {counted(query.nvlink_gpus, 'GPU')} does not hold whole hosts of "
            f"{gpus}"
        )
        yield "nvlink_gpus", message, "use a multiple of the GPUs of a host"


def _more_nodes(fabric: Fabric, query: Query) -> str:
    """Return what to do about more GPUs than a host has: nodes with as many GPUs in all."""
    gpus, asked = fabric.intent.fabric.host.gpus, query.nodes * (query.gpus_per_node or 0)
    nodes, size = -(-asked // gpus), len(fabric.hosts)
    most = f"request at most {counted(gpus, 'GPU')} per node"
    if query.tenant:  # which reads it, and is told nothing of the hosts of others
        return most
    if nodes > size:
        return f"{most}; the fabric has {counted(size * gpus, 'GPU')} on {counted(size, 'node')}"
    return (
        f"use {counted(nodes, 'node')} with {counted(gpus, 'GPU')} each for {counted(asked, 'GPU')}"
    )


def no_way(index: Index, own: Loads, nodes: int) -> NoRoomError:
    """Return the error of hosts whose leaves do not reach each other."""
    pair = own.link[np.isinf(own.load)] // 2
    first = pair[pair < index.numbers.first[-1]][:1].tolist()
    leaf = index.numbers.leaf(first[0]) if first else -1
    where = index.fabric.switches.names[leaf] if first else "one of them"
    hosts = counted(nodes, "host")
    message = f"no way was found between the leaves of {hosts}: {where} does not reach all"
    return unplaceable(
        message, "repair it or its cables, request fewer nodes, or exclude its hosts"
    )


def _too_few(request: Request, usable: Usable, total: int) -> NoRoomError:
    """Return the error of fewer free hosts than nodes, and why the others are not free."""
    query, among = request.query, np.ones(len(usable.healthy), dtype=np.bool_)
    if len(request.include):
        among[:] = False
        among[request.include] = True
    size, excluded = int(among.sum()), int(among[np.unique(request.exclude)].sum())
    among[request.exclude] = False
    missing = usable.missing(among)
    partial = request.tenant_hosts > size and not query.include
    out = [*([f"{excluded} excluded"] if excluded else []), *(one for one, _ in missing)]
    fixes = ["request fewer nodes"] if total else [fix for _, fix in missing]
    fixes += ["exclude fewer hosts"] if excluded else []
    fixes += ["use fewer GPUs of each"] if partial and request.gpus > 1 else []
    message = f"{needed(query.nodes)}, but {_free(request, size, total)}"
    message += f" ({', '.join(out)})" if out else ""
    return unplaceable(message, listed(fixes) if fixes else "request fewer nodes")


def _free(request: Request, size: int, total: int) -> str:
    """Return how many of the hosts that a job may have are free, and which hosts they are."""
    query, are = request.query, "is" if total == 1 else "are"
    if not query.tenant or query.include:
        return f"only {total} of {size} {'named ones ' if query.include else ''}{are} free"
    of = ", of which" if request.tenant_hosts == size else ", and"
    return f"{_of_tenant(request)}{of} {total} {are} free"


def never_fits(request: Request, problem: Problem) -> NeverFitsError:
    """Return the error of a query that does not fit where all hosts are free, with what there is.

    Parameters
    ----------
    problem : Problem
        The query where all hosts are free.
    """
    query, named = request.query, len(set(request.query.include))
    words, fix = _limits(request)
    if query.include and named < query.nodes:
        names = counted(named, "host is named", "hosts are named")
        message, fix = f"{needed(query.nodes)}, but {names}", "name more hosts, or request fewer"
    elif query.within is Within.BLOCK:
        message = f"{needed(query.nodes)} in one NVLink domain, but none has so many"
    else:
        message = f"{needed(query.nodes)} {words}, but {_most(request, problem)}"
    finding = Finding("PLC001", Severity.ERROR, message, fix, "nodes")
    return NeverFitsError("the job cannot be placed", [finding])


def stays_on_rails(request: Request, demand: Demand) -> None:
    """Raise UnplaceableError for traffic between rails where a tenant's stays on its leaf."""
    if not (request.is_local and demand.crosses_rails):
        return
    message = f"without PXN this traffic crosses rails, but {_stays(request)}"
    fix = "allow PXN, or name traffic that stays on its rail"
    finding = Finding(JOB_RULE, Severity.ERROR, message, fix, field="traffic")
    raise UnplaceableError("the job cannot be placed", [finding])


def impossible(fabric: Fabric, request: Request, problem: Problem, usable: Usable) -> NoRoomError:
    """Return the error of a query for which there are not enough hosts, with what there is."""
    query, free = request.query, problem.free
    total, nodes = int(free.sum()), query.nodes
    if query.within is Within.BLOCK and 1 < nodes > total:
        message = f"{needed(nodes)} in one NVLink domain, but none has so many free"
        return unplaceable(message, "request fewer nodes, or tell the GPUs of a domain")
    if total < nodes:
        return _too_few(request, usable, total)
    (words, fix), most = _limits(request), f"{_most(request, problem)} free"
    asked = f"{needed(nodes)} {words}".rstrip()
    if not problem.enough(float("inf")):
        return unplaceable(f"{asked}, but {most}", fix)
    why, remedy = _no_capacity(fabric, problem)
    if not query.traffic.pxn and problem.usable.max(initial=0) >= nodes:
        rails = "without PXN this traffic crosses rails"
        fix = "allow PXN, or name traffic that stays on its rail"
        return unplaceable(f"{rails}, and {why or 'no spine connects them'}", f"{remedy}{fix}")
    why = why or "no spine connects units"
    return unplaceable(f"{asked}, but {most} and {why}", f"{remedy}{fix}")


def _no_capacity(fabric: Fabric, problem: Problem) -> tuple[str, str]:
    """Return what has no capacity left between hosts, and what to do; empty where all has none.

    Leaves come first, with their rails, and then pods.
    """
    supply, switches = problem.supply, fabric.switches
    dead = np.unique(supply.leaf[np.isinf(supply.slope)])
    if len(dead) == len(np.unique(supply.leaf)):
        return "", ""
    names, above = [switches.names[row] for row in dead], "the spines"
    rails = [str(rail) for rail in np.unique(switches.rail[dead]).tolist() if rail >= 0]
    of = f" of rail{'s' * (len(rails) > 1)} {listed(rails, 'and')}" if rails else ""
    if not names:
        pods = zip(pod_names(fabric.intent.fabric), supply.carried.pod_gbps, strict=False)
        names, above = [f"pod {name}" for name, gbps in pods if not gbps], "the super-spines"
        if len(names) == supply.pods:
            return "no super-spine connects pods", ""
    words = f"{hostlist.in_short(names)}{of} {noun(len(names), 'has', 'have')} no capacity to"
    repair = noun(len(names), "repair it or its cables", "repair them or their cables")
    return f"{words} {above} left", f"{repair}, or "


def _limits(request: Request) -> tuple[str, str]:
    """Return what limits where the hosts of a job are, empty if nothing does, and what to do."""
    query = request.query
    asked = [
        f"within one {query.within}" if query.within else "",
        f"in segments of {query.segment}" if query.segment else "",
        f"in at most {counted(query.max_units, 'unit')}" if query.max_units else "",
    ]
    words = [word for word in asked if word]
    fix = "request fewer nodes, or drop the limit" if words else "request fewer nodes"
    words += [f"on the same leaves ({_stays(request)})"] if request.is_local else []
    return ", ".join(words), fix


def _stays(request: Request) -> str:
    return f"traffic of tenant {request.query.tenant} stays on its leaf"


def _most(request: Request, problem: Problem) -> str:
    """Return how many hosts the largest unit has, or the largest pod where that is the limit."""
    if request.query.within is Within.POD and not request.is_local:
        return f"a pod has at most {problem.most_in_pod}"
    segments, free = (int(hosts.max(initial=0)) for hosts in (problem.usable, problem.free))
    return f"a unit has at most {segments or free}"
