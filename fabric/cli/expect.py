"""expect: the bus bandwidth that a set of hosts should reach."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from fabric.cli import output
from fabric.cli.options import Drain, Fail, Format, FormatOption, Inventory, option
from fabric.core.formats import with_form

if TYPE_CHECKING:
    import typer


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command(epilog="Example: rocefab expect inventory/rail-512 --hosts gpu[001-016]")(expect)


def expect(
    inventory: Inventory = Path(),
    hosts: Annotated[
        str, option("Hosts in rank order, as a range; default: all.", "EXPECT_HOSTS", "--hosts")
    ] = "",
    rails: Annotated[
        str, option("Rails that are used, with commas; default: all.", "EXPECT_RAILS", "--rails")
    ] = "",
    fail: Fail = None,
    drain: Drain = "",
    nvlink_gbyte_s: Annotated[
        float,
        option(
            "Bus bandwidth inside a host in GB/s; 0: no limit.",
            "NVLINK_GBYTE_S",
            min=0,
            max=100_000,
        ),
    ] = 0.0,
    form: FormatOption = Format.TEXT,
) -> None:
    """Show what NCCL or RCCL should reach on some hosts.

    The bus bandwidth, from links that are up, NICs, packet headers and ECMP. The interval is that
    of published measurements; no packet may be lost.

    Exit codes: 0, 2.
    """
    from dataclasses import asdict

    from fabric.workflow.expect import expect as workflow
    from fabric.workflow.project import Project

    failures = [*(fail or ()), *([f"switch:{drain}"] if drain else [])]
    limit = nvlink_gbyte_s or float("inf")
    expectation = workflow(
        Project(inventory), hosts, rails=rails, failures=failures, nvlink_gbyte_s=limit
    )
    if form is Format.JSON:
        rows = [asdict(row) for row in expectation.rows]
        output.as_json(with_form("expectation", {"expected": rows}))
        return
    table = expectation.table()
    output.data("bus bandwidth of large messages in GB/s\n\n")
    output.table(table.headers, table.rows)
