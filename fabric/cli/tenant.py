"""tenant: tenants of an inventory."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.options import inventory_folder, option

if TYPE_CHECKING:
    from fabric.workflow.inventory_edit import Edited
    from fabric.workflow.tenant import Members, TenantEditor

tenant_app = typer.Typer(
    help="Edit the tenants of an inventory.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(help="Name of the tenant.")]
Folder = Annotated[
    Path,
    option("Inventory folder.", "INVENTORY", "--inventory", callback=inventory_folder),
]
HostRange = Annotated[
    str, option("Hosts with all their NICs, as a range: gpu[001-004].", "TENANT_HOSTS", "--hosts")
]
NicList = Annotated[
    list[str] | None,
    option("NICs of a host by rail: gpu005:0,1; may be repeated.", "TENANT_NICS", "--nic"),
]
Jobs = Annotated[
    Path | None,
    option(
        "Jobs that run, as `squeue --noheader --format='%i %N'` prints them; a host with a job "
        "stays in its tenant.",
        "TENANT_JOBS",
        "--jobs",
    ),
]
DryRun = Annotated[
    bool, option("Print the diff, and write nothing.", "TENANT_DRY_RUN", "--dry-run")
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.add_typer(tenant_app, name="tenant")


def _editor(folder: Path, *, dry_run: bool, jobs: Path | None = None) -> TenantEditor:
    from fabric.intent.inventory import load
    from fabric.workflow.tenant import TenantEditor, running_jobs

    return TenantEditor(folder, dry_run, running_jobs(jobs, load(folder)) if jobs else {})


def _members(folder: Path, hosts: str, nics: list[str] | None) -> Members:
    from fabric.intent.inventory import load
    from fabric.workflow.tenant import members_of

    return members_of(load(folder), hosts, nics or ())


def _print(edited: Edited, *, dry_run: bool) -> None:
    output.data(edited.diff)
    output.note("dry run: nothing was written" if dry_run else edited.next_step)


@tenant_app.command(epilog="Example: rocefab tenant add green --inventory inventory/tenants")
def add(
    name: Name,
    inventory: Folder = Path(),
    ident: Annotated[
        int,
        option("Id; 0: the lowest that no tenant has or had.", "TENANT_ID", "--id"),
    ] = 0,
    hosts: HostRange = "",
    services: Annotated[
        list[str] | None,
        option("Shared tenant that it reaches; may be repeated.", "TENANT_SERVICES", "--service"),
    ] = None,
    shared: Annotated[
        bool, option("Other tenants may reach it, as a service.", "TENANT_SHARED", "--shared")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Add a tenant in tenants/NAME.yaml.

    Exit codes: 0, 2.
    """
    fields = {"hosts": hosts, "services": list(services or ()), "shared": shared}
    edited = _editor(inventory, dry_run=dry_run).add(name, ident or None, fields)
    _print(edited, dry_run=dry_run)


@tenant_app.command(
    epilog="Example: rocefab tenant grant blue --nic gpu004:1 --inventory inventory/tenants"
)
def grant(
    name: Name,
    inventory: Folder = Path(),
    hosts: HostRange = "",
    nics: NicList = None,
    dry_run: DryRun = False,
) -> None:
    """Give NICs without a tenant to one.

    Exit codes: 0, 2.
    """
    members = _members(inventory, hosts, nics)
    _print(_editor(inventory, dry_run=dry_run).grant(name, members), dry_run=dry_run)


@tenant_app.command(
    epilog="Example: rocefab tenant revoke red --nic gpu003:1 --inventory inventory/tenants"
)
def revoke(
    name: Name,
    inventory: Folder = Path(),
    hosts: HostRange = "",
    nics: NicList = None,
    jobs: Jobs = None,
    dry_run: DryRun = False,
) -> None:
    """Take NICs of a tenant away.

    Where tenancy.unassigned is quarantine, they are in quarantine then.

    Exit codes: 0, 2.
    """
    members = _members(inventory, hosts, nics)
    _print(_editor(inventory, dry_run=dry_run, jobs=jobs).revoke(name, members), dry_run=dry_run)


@tenant_app.command(
    epilog="Example: rocefab tenant move blue --hosts gpu003 --inventory inventory/tenants"
)
def move(
    name: Name,
    inventory: Folder = Path(),
    hosts: HostRange = "",
    nics: NicList = None,
    jobs: Jobs = None,
    dry_run: DryRun = False,
) -> None:
    """Move NICs to a tenant, in two steps.

    Run it before each of two plans. The first run takes them out of their tenants. When that is
    applied and the hosts are wiped, the second run gives them to NAME.

    Exit codes: 0, 2.
    """
    members = _members(inventory, hosts, nics)
    _print(_editor(inventory, dry_run=dry_run, jobs=jobs).move(name, members), dry_run=dry_run)


@tenant_app.command(epilog="Example: rocefab tenant remove green --inventory inventory/tenants")
def remove(
    name: Name, inventory: Folder = Path(), jobs: Jobs = None, dry_run: DryRun = False
) -> None:
    """Remove a tenant without NICs, and retire its id.

    Exit codes: 0, 2.
    """
    _print(_editor(inventory, dry_run=dry_run, jobs=jobs).remove(name), dry_run=dry_run)


@tenant_app.command(
    "release-id", epilog="Example: rocefab tenant release-id 1 --inventory inventory/tenants"
)
def release_id(
    ident: Annotated[int, typer.Argument(metavar="ID", help="Id of a removed tenant.")],
    inventory: Folder = Path(),
    dry_run: DryRun = False,
) -> None:
    """Free the id of a removed tenant.

    No switch may hold it any more.

    Exit codes: 0, 2.
    """
    _print(_editor(inventory, dry_run=dry_run).release(ident), dry_run=dry_run)
