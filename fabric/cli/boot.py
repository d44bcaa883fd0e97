"""adopt-serials, first-contact, replace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fabric.cli import output
from fabric.cli.exits import CommandExit, Exit
from fabric.cli.options import (
    AskPassword,
    BootLogOption,
    Inventory,
    Parallel,
    argument,
    duration,
    duration_s,
    option,
)
from fabric.core.counts import counted

if TYPE_CHECKING:
    from fabric.workflow.serials import Adopted

#: Names that a line of the summary has.
_NAMED = 8
DryRun = Annotated[bool, option("Print the diff, and write nothing.", "BOOT_DRY_RUN", "--dry-run")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    adopt = "rocefab adopt-serials inventory/demo --from packing-list.csv"
    contact = "rocefab first-contact inventory/demo --connections connections.json --window 30m"
    new = "rocefab replace su1-rail0 --serial MT2233X00042 --inventory inventory/demo"
    app.command(name="adopt-serials", epilog=f"Example: {adopt}")(adopt_serials)
    app.command(name="first-contact", epilog=f"Example: {contact}")(first_contact)
    app.command(epilog=f"Example: {new}")(replace)


def adopt_serials(
    inventory: Inventory = Path(),
    source: Annotated[
        list[Path] | None,
        option(
            "Packing list or table (CSV), leases of Kea or dnsmasq, or the output of `lldpcli show "
            "neighbors` of the management switch; may be repeated.",
            "SERIALS",
            "--from",
        ),
    ] = None,
    *,
    dry_run: DryRun = False,
) -> None:
    """Take serials and MACs of devices over from files.

    Lines of all files are joined where they share a name, serial, MAC, port or address. What
    contradicts the inventory is an error, and nothing is written.

    Exit codes: 0, 2.
    """
    from fabric.workflow.serials import adopt_serials as workflow

    if not source:
        raise typer.BadParameter("name a file with --from")
    adopted = workflow(inventory, source, dry_run=dry_run)
    if adopted.edited:
        output.data(adopted.edited.diff)
    for line in _summary(adopted, dry_run=dry_run):
        output.note(line)


def _summary(adopted: Adopted, *, dry_run: bool) -> list[str]:
    from fabric.core import hostlist

    lines = [f"{counted(adopted.taken, 'device has', 'devices have')} something new"]
    if adopted.waiting:
        lines.append(f"still unknown: {hostlist.fold_inside(adopted.waiting)}")
    lines += [f"{row.place}: of no device of the inventory" for row in adopted.strangers[:_NAMED]]
    if len(adopted.strangers) > _NAMED:
        lines.append(
            f"and {counted(len(adopted.strangers) - _NAMED, 'more line', 'more lines')} of no "
            "device"
        )
    if adopted.edited:
        lines.append("dry run: nothing was written" if dry_run else adopted.edited.next_step)
    return lines


def first_contact(
    inventory: Inventory = Path(),
    connections: Annotated[
        Path,
        option(
            "JSON file with addresses, users and trusted keys; it is created if it is not there.",
            "CONNECTIONS",
        ),
    ] = Path("connections.json"),
    window: Annotated[
        str,
        duration("How long devices that do not answer yet are asked again", "WINDOW", "--window"),
    ] = "0s",
    only: Annotated[
        str, option("Devices, such as su1-rail[0-1]; also those whose key is known.", "ONLY")
    ] = "",
    account: Annotated[
        str, option("User for a connections file that is created.", "ACCOUNT")
    ] = "rocefab",
    ask_password: AskPassword = False,  # noqa: ARG001 - its callback does the work
    parallel: Parallel = 0,
    boot_log: BootLogOption = None,
) -> None:
    """Trust the keys of devices whose serial answers.

    The login goes to whoever answers at the address: open the window only while the management
    network is yours alone, with an account for the first contact.

    Exit codes: 0, 2, 3 (a device did not answer, or has another serial).
    """
    from fabric.boot.log import BootLog
    from fabric.workflow.first_contact import Contacts
    from fabric.workflow.first_contact import first_contact as workflow
    from fabric.workflow.place import host_names
    from fabric.workflow.project import Project

    names = frozenset(host_names(only) if only else ())
    seconds = duration_s("--window", window)
    contacts = Contacts(connections, account, BootLog(boot_log))
    without = workflow(
        Project(inventory), contacts, names, seconds, output.progress, parallel=parallel
    )
    if without:
        raise CommandExit(Exit.DEVICE)


def replace(
    device: Annotated[str, argument("Switch or host.")],
    inventory: Annotated[
        Path, option("Inventory folder with fabric.yaml.", "INVENTORY", "--inventory")
    ] = Path(),
    serial: Annotated[str, option("Serial of the new unit.", "SERIAL")] = "",
    mac: Annotated[
        str, option("MAC of the new unit: of the chassis, or of the NIC with --rail.", "MAC")
    ] = "",
    management_mac: Annotated[
        str, option("MAC of its management port, if it differs.", "MANAGEMENT_MAC")
    ] = "",
    rail: Annotated[
        int | None, option("Rail of the NIC that is replaced, from 0.", "RAIL", min=0, max=63)
    ] = None,
    port: Annotated[
        str,
        option(
            "Port of a switch, or interface of a host, whose cable is replaced.", "REPLACE_PORT"
        ),
    ] = "",
    cable_m: Annotated[
        int | None,
        option("With --port: length of the new cable in metres.", "CABLE_M", min=1, max=80_000),
    ] = None,
    cable_type: Annotated[
        str, option("With --port: type of the new cable, such as dac or sr4.", "CABLE_TYPE")
    ] = "",
    connections: Annotated[
        Path | None,
        option("JSON file, which the key of the old unit is taken out of.", "CONNECTIONS"),
    ] = None,
    *,
    dry_run: DryRun = False,
) -> None:
    """Replace a switch, host, NIC or cable in the inventory.

    The device keeps its name, addresses and cables. Nothing is sent to it. If the command is
    stopped, run it again. A cable needs a length or type only where it differs from the old one.

    Exit codes: 0, 2.
    """
    from fabric.workflow.replace import Replaced, Replacement, Unit
    from fabric.workflow.replace_cable import CableReplacement, NewCable

    unit = Unit(serial, mac.lower(), management_mac.lower(), rail)
    new = NewCable(cable_m, cable_type)
    if port and (any(unit[:3]) or rail is not None):
        raise typer.BadParameter("a cable has neither serial nor MAC; leave them out, or --port")
    if new.fields() and not port:
        raise typer.BadParameter("--cable-m and --cable-type are about a cable; add --port")
    if port:
        cable = CableReplacement(inventory, device, port, new, dry_run)
        done = Replaced(*cable.run())
    else:
        done = Replacement(inventory, device, unit, connections, dry_run).run()
    if done.edited:
        output.data(done.edited.diff)
    else:
        what = "nothing of this cable to change" if port else "this unit already"
        output.note(f"{device}: the inventory has {what}")
    if done.old_key:
        taken = "would be taken" if dry_run else "is"
        output.note(f"{device}: the key of the old unit {taken} out of {connections}")
    if dry_run:
        output.note("dry run: nothing was written")
    for number, step in enumerate(done.steps, 1):
        output.note(f"{number}. {step}")
