"""adopt-serials: serials and MACs of files become a part of the inventory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from fabric.boot.devices import BMC, HOST, managed
from fabric.boot.models import other_model
from fabric.core.errors import InputError
from fabric.core.findings import Finding, Severity
from fabric.exchange.serials import RULE, contradictions, joined, read_rows
from fabric.intent.inventory import load
from fabric.intent.yaml import edit
from fabric.topology.realise import realise
from fabric.workflow.inventory_edit import Edited, InventoryEdit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from fabric.boot.model import Device
    from fabric.exchange.serials import Row
    from fabric.intent.inventory import Intent
    from fabric.topology.model import Fabric

#: Files that adopted values are written into, by kind.
FILES = {"devices": "devices/serials.yaml", "hosts": "hosts/serials.yaml"}
_FIELDS = {"serial": "serial", "mac": "management_mac"}


class Adopted(NamedTuple):
    """What was taken over.

    Parameters
    ----------
    edited : Edited or None
        What changes; None where nothing does.
    taken : int
        Devices that have something new.
    waiting : list of str
        Devices that nothing is known of yet.
    strangers : list of Row
        Rows of no device of the inventory.
    """

    edited: Edited | None
    taken: int
    waiting: list[str]
    strangers: list[Row]


@dataclass(frozen=True)
class _Known:
    """Devices by name, and the name behind each management address."""

    by_name: dict[str, Device]
    of_address: dict[str, str]


def adopt_serials(folder: Path, files: Sequence[Path], *, dry_run: bool = False) -> Adopted:
    """Write what files say of serials and MACs into an inventory.

    Parameters
    ----------
    files : sequence of Path
        Tables, leases and LLDP, which `read_rows` reads.

    Raises
    ------
    InputError
        When a file cannot be read, files contradict each other, or one contradicts the inventory;
        nothing is written then.
    """
    rows = [row for file in files for row in read_rows(file)]
    known = _known(realise(load(folder)))
    groups = joined(rows)
    wrong = [finding for group in groups for finding in contradictions(group)]
    models = {device.model for device in known.by_name.values() if device.model}
    new: dict[str, dict[str, str]] = {}
    strangers = []
    for group in groups if not wrong else ():
        name = _name(group, known)
        if name:
            new[name] = _values(group, known.by_name[name], models, wrong)
        else:
            strangers += group
    if wrong:
        raise InputError("the serials cannot be adopted", wrong)
    new = {name: values for name, values in new.items() if values}
    waiting = [
        name
        for name, device in known.by_name.items()
        if not (device.serial or device.mac or name in new)
    ]
    edited = _write(InventoryEdit(folder, dry_run), known, new) if new else None
    return Adopted(edited, len(new), waiting, strangers)


def _known(fabric: Fabric) -> _Known:
    devices = {one.name: one for one in managed(fabric) if one.platform != BMC}
    return _Known(devices, {one.address: name for name, one in devices.items()})


def _name(group: Sequence[Row], known: _Known) -> str:
    """Return the device that rows are about: by its name, else by its address, serial or MAC."""
    for row in group:
        if row.name in known.by_name:
            return row.name
    for row in group:
        if row.address in known.of_address:
            return known.of_address[row.address]
    return next(
        (
            name
            for name, device in known.by_name.items()
            for row in group
            if (row.serial and row.serial == device.serial) or (row.mac and row.mac == device.mac)
        ),
        "",
    )


def _values(
    group: Sequence[Row], device: Device, models: AbstractSet[str], wrong: list[Finding]
) -> dict[str, str]:
    """Return what is new of a device; what contradicts the inventory is wrong."""
    new = {}
    for field, name in _FIELDS.items():
        row = next((row for row in group if getattr(row, field)), None)
        old = getattr(device, field)
        if row is None or (text := getattr(row, field)) == old:
            continue
        if old:
            message = f"{device.name} has {field} {old} in the inventory, and {text} here"
            fix = f"correct the line, or run `rocefab replace {device.name}`"
            wrong.append(Finding(RULE, Severity.ERROR, message, fix, position=row.place))
        else:
            new[name] = text
    wrong += _other_model(group, device, models)
    return new


def _other_model(
    group: Sequence[Row], device: Device, models: AbstractSet[str]
) -> Iterator[Finding]:
    """Yield lines whose model is the one of other switches."""
    for row in group:
        if other := other_model(row.model, device.model, models):
            message = f"{device.name} is planned as {device.model}, and the line has a {other}"
            fix = "correct the line, or set sku of the device"
            yield Finding(RULE, Severity.ERROR, message, fix, position=row.place)


def _write(files: InventoryEdit, known: _Known, new: dict[str, dict[str, str]]) -> Edited:
    for name, values in sorted(new.items()):
        kind = "hosts" if known.by_name[name].platform == HOST else "devices"
        append_entry(files, kind, {"names": name, **values})
    return files.written(lambda intent: _says(intent, new), "run `rocefab export ztp`")


def append_entry(files: InventoryEdit, kind: str, entry: dict[str, object]) -> None:
    """Add an entry to the file of adopted values of a kind."""
    file = FILES[kind]
    text = files.text(file) if files.has(file) else f"{kind}:\n"
    text = text if text.endswith("\n") else f"{text}\n"
    files.write(file, f"{text}  - {edit.flow(entry)}\n")


def _says(intent: Intent, new: dict[str, dict[str, str]]) -> bool:
    """Tell whether an inventory has all that is new."""
    overrides: dict[str, Any] = {**intent.device_overrides, **intent.host_overrides}
    return all(
        any(getattr(override.value, field) == text for override in overrides.get(name, ()))
        for name, values in new.items()
        for field, text in values.items()
    )
