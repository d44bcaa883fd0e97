"""Designs of the example inventories, and small variants of them, for the tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from fabric.design.model import DeviceDesign
from fabric.design.switch import SwitchDesigner
from fabric.intent.inventory import load
from fabric.intent.resolve import PolicyResolver
from fabric.render import render_device
from fabric.topology import realise

REPOSITORY = Path(__file__).parents[2]
INVENTORY = REPOSITORY / "inventory"
#: Switches of each tier and shape: what a system renders for them is kept in golden files.
CASES = [
    ("demo", "su1-rail0"),
    ("demo", "spine01"),
    ("rail-512", "su1-rail0"),
    ("rail-512", "spine01"),
    ("a100-pcie", "rack1-leaf"),
]


def text_of(device: DeviceDesign) -> str:
    """Return the configuration of a switch, in the form that a change is made of."""
    return render_device(device)[0].text


@cache
def designer(folder: Path) -> tuple[SwitchDesigner, dict[str, int]]:
    """Return the designer of an inventory folder, and its switches by name."""
    intent = load(folder)
    fabric = realise(intent)
    return SwitchDesigner(fabric, PolicyResolver(intent)), fabric.switch_row


@cache
def design(inventory: str, switch: str) -> DeviceDesign:
    """Return the design of a switch of an example inventory."""
    made, rows = designer(INVENTORY / inventory)
    return made.design(rows[switch])


def switches(inventory: str) -> list[str]:
    """Return the switch names of an example inventory."""
    return list(designer(INVENTORY / inventory)[1])


def variant(
    target: Path, inventory: str, changes: dict[str, str], devices: str = ""
) -> dict[str, DeviceDesign]:
    """Return the designs of an example with text replaced and its override files too."""
    target.mkdir()
    shutil.copy(INVENTORY / inventory / "fabric.yaml", target)
    file = target / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    if devices:
        (target / "devices").mkdir()
        (target / "devices" / "test.yaml").write_text(devices, encoding="utf-8")
    made, rows = designer(target)
    return {name: made.design(row) for name, row in rows.items()}


def designs_of(changes: dict[str, dict[str, str]]) -> Callable[[str], dict[str, DeviceDesign]]:
    """Return a function that gives the designs of an example with other switches, made once."""

    @cache
    def designs(inventory: str) -> dict[str, DeviceDesign]:
        with TemporaryDirectory() as folder:
            return variant(Path(folder) / inventory, inventory, changes[inventory])

    return designs
