"""From the body of a request to what the engine is asked, or told."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.findings import Finding, Severity
from fabric.placement.engine.layout import Layout
from fabric.placement.engine.query import Query
from fabric.placement.engine.traffic import RING, Traffic, parse_traffic
from fabric.serve.problem import Problem, refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.serve.requests import JobBody, PlacementBody, TrafficBody
    from fabric.topology.model import Fabric

_SHOWN = 5


class Wrong:
    """Collects what is wrong with a request, so that one answer names all of it."""

    def __init__(self, status: int = HTTPStatus.UNPROCESSABLE_ENTITY) -> None:
        self.findings: list[Finding] = []
        self._status = status

    def add(self, field: str, message: str, fix: str) -> None:
        """Note one thing."""
        self.findings.append(Finding("SRV004", Severity.ERROR, message, fix, field=field))

    def end(self) -> None:
        """Raise Problem when anything is wrong."""
        if self.findings:
            detail = "the request cannot be met as it is"
            raise Problem(self._status, detail, self.findings)


def query_of(body: PlacementBody, fabric: Fabric) -> Query:
    """Return the query of a body.

    Raises
    ------
    Problem
        422 with each field that names unknown hosts, doubles them, or contradicts another one.
    """
    wrong = Wrong()
    hosts = host_names("hosts", body.hosts, fabric, wrong)
    include = host_names("include", body.include, fabric, wrong)
    exclude = host_names("exclude", body.exclude, fabric, wrong)
    traffic = traffic_of(body, wrong)
    nodes = body.nodes or len(hosts)
    if body.nodes is None and body.hosts is None:
        wrong.add("nodes", "the number of hosts is missing", "add nodes, or hosts")
    elif hosts and nodes != len(hosts):
        wrong.add("nodes", f"nodes is {nodes}, but hosts has {len(hosts)}", "omit one of them")
    if body.segment and nodes % body.segment:
        message = f"segment {body.segment} does not divide {nodes} nodes"
        wrong.add("segment", message, "use a divisor of nodes")
    wrong.end()
    if nodes > len(fabric.hosts):
        message = f"{nodes} hosts are needed, but the fabric has {len(fabric.hosts)}"
        raise refused(HTTPStatus.CONFLICT, "PLC001", "nodes", message, "request fewer nodes")
    return Query(
        nodes=nodes,
        gpus_per_node=body.gpus_per_node,
        traffic=traffic,
        hosts=hosts,
        include=include,
        exclude=exclude,
        within=body.within,
        segment=body.segment,
        max_units=body.max_units,
        target=body.target,
        room=body.room,
        nvlink_gpus=body.nvlink_gpus,
    )


def job_hosts(body: JobBody, fabric: Fabric, wrong: Wrong) -> tuple[str, ...]:
    """Return the hosts of a job that runs; at least one."""
    hosts = host_names("hosts", body.hosts, fabric, wrong)
    if not hosts and not wrong.findings:
        wrong.add("hosts", "the job has no hosts", "add them")
    return hosts


def host_names(
    field: str, given: str | list[str] | None, fabric: Fabric, wrong: Wrong
) -> tuple[str, ...]:
    """Return the hosts of a range or a list; each must be known, and named once."""
    if not given:
        if given is not None:
            wrong.add(field, "there is no host in it", "name hosts, or omit the field")
        return ()
    names = given if isinstance(given, list) else _expanded(field, given, fabric, wrong)
    unknown = [name for name in names if name not in fabric.host_row]
    if unknown:
        shown = ", ".join(ascii(name[:64]) for name in unknown[:_SHOWN])
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        wrong.add(field, f"no such host: {shown}{more}", "GET /v1/hosts lists the hosts")
    elif len(set(names)) != len(names):
        wrong.add(field, "a host is named twice", "name each host once")
    return tuple(names)


def _expanded(field: str, text: str, fabric: Fabric, wrong: Wrong) -> list[str]:
    try:
        count = hostlist.count(text)
        if count <= len(fabric.hosts):
            return hostlist.expand(text)
        message = f"the range has {count} hosts, but the fabric has {len(fabric.hosts)}"
    except ValueError as error:
        message = ascii(str(error)[:200])[1:-1]
    wrong.add(field, message, "use a range such as gpu[001-004], or a list")
    return []


def traffic_of(body: TrafficBody, wrong: Wrong) -> Traffic:
    """Return the traffic of a job."""
    try:
        traffic = parse_traffic(body.traffic)
    except ValueError as error:
        wrong.add("traffic", str(error), "use ring, or a mix such as ring:3,all-to-all:1")
        traffic = RING
    return Traffic(traffic.shares, _layout(body, wrong), body.pxn)


def _layout(body: TrafficBody, wrong: Wrong) -> Layout | None:
    weights: Mapping[str, float] = {str(name): one for name, one in (body.weights or {}).items()}
    if body.layout is None:
        if weights:
            wrong.add("weights", "weights need a layout", "add layout, or omit weights")
        return None
    if not body.layout:
        wrong.add("layout", "the layout is empty", "add a dimension, such as tp")
    return Layout({str(name): size for name, size in body.layout.items()}, weights)
