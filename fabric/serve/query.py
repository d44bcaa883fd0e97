"""From the body of a request to what the engine is asked, or told."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.counts import counted
from fabric.core.findings import Finding, Severity
from fabric.placement import job
from fabric.placement.engine.query import JOB_RULE
from fabric.placement.engine.request import named_twice
from fabric.serve.problem import Problem
from fabric.topology.naming import hint

if TYPE_CHECKING:
    from fabric.placement.engine.query import Query
    from fabric.serve.requests import JobBody, PlacementBody
    from fabric.topology.model import Fabric

_SHOWN = 5


class Wrong:
    """Collects what is wrong with a request, so that one answer names all of it.

    Parameters
    ----------
    rule : str
        That of the same fault in a file or on the command line, where there is one.
    """

    def __init__(self, rule: str = "SRV004", status: int = HTTPStatus.UNPROCESSABLE_ENTITY) -> None:
        self.findings: list[Finding] = []
        self._rule, self._status = rule, status

    def add(self, field: str, message: str, fix: str) -> None:
        """Note one thing."""
        self.findings.append(Finding(self._rule, Severity.ERROR, message, fix, field=field))

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
    wrong = Wrong(JOB_RULE)
    query = job.query_of(body, len(fabric.hosts), wrong.add)
    for field in ("hosts", "include", "exclude"):
        _check_hosts(field, getattr(body, field), getattr(query, field), fabric, wrong)
    hosts, nodes = query.hosts, body.nodes or len(query.hosts)
    if body.nodes is None and body.hosts is None:
        wrong.add("nodes", "the number of hosts is missing", "add nodes, or hosts")
    elif hosts and nodes != len(hosts):
        wrong.add("nodes", f"nodes is {nodes}, but hosts has {len(hosts)}", "omit one of them")
    if body.segment and nodes % body.segment:
        message = f"segment {body.segment} does not divide {counted(nodes, 'node')}"
        wrong.add("segment", message, "use a divisor of nodes")
    wrong.end()
    return query


def job_hosts(body: JobBody, fabric: Fabric, wrong: Wrong) -> tuple[str, ...]:
    """Return the hosts of a job that runs; at least one."""
    hosts = job.host_names("hosts", body.hosts, len(fabric.hosts), wrong.add)
    _check_hosts("hosts", body.hosts, hosts, fabric, wrong)
    if not hosts and not wrong.findings:
        wrong.add("hosts", "the job has no hosts", "add them")
    return hosts


def _check_hosts(
    field: str,
    given: str | list[str] | None,
    names: tuple[str, ...],
    fabric: Fabric,
    wrong: Wrong,
) -> None:
    """Check that each host is known, and named once; a member that is there names some."""
    if given is not None and not given:
        wrong.add(field, "there is no host in it", "name hosts, or omit the field")
    unknown = [name for name in names if name not in fabric.host_row]
    if unknown:
        shown = ", ".join(ascii(name[:64]) for name in unknown[:_SHOWN])
        more = f" and {len(unknown) - _SHOWN} more" if len(unknown) > _SHOWN else ""
        fix = hint("host", unknown[0], fabric.hosts.names, "GET /v1/hosts lists the hosts")
        wrong.add(field, f"no such host: {shown}{more}", fix)
    elif twice := hostlist.doubled(names):
        wrong.add(field, *named_twice(twice))
