"""Configurations are recognised as those of their own system, outputs of commands as of none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fabric.observe.configuration.lossless import lossless_readers, system_of
from tests.observe.test_fixtures import REPOSITORY

GOLDEN = Path(__file__).parents[1] / "golden"
#: Ends of golden files that hold a whole configuration, by system.
CONFIGURATIONS = {
    "comware7": ".comware7",
    "cumulus": "config.nv",
    "eos": ".eos",
    "esonic": ".esonic",
    "junos": "junos.set",
    "nxos": ".nxos",
    "sonic": "config_db.json",
    "vrp8": ".vrp8",
}
#: Folder of the recorded outputs of each system.
RECORDED = {"huawei-vrp8": "vrp8", "comware7": "comware7"}


def _golden(nos: str) -> list[Path]:
    return sorted(
        path for path in (GOLDEN / nos).rglob("*") if path.name.endswith(CONFIGURATIONS[nos])
    )


@pytest.mark.parametrize("nos", CONFIGURATIONS)
def test_rendered_files_are_recognised(nos: str) -> None:
    """Those of a system without a reader are of none."""
    files = _golden(nos)
    assert files
    for path in files:
        known = nos if nos in lossless_readers else None
        assert system_of(path.read_text(encoding="utf-8")) == known, path


@pytest.mark.parametrize("folder", RECORDED)
def test_recorded_outputs_are_of_no_other_system(folder: str) -> None:
    shared = Path(os.environ.get("ROCEFAB_REFERENCE", REPOSITORY.parent / "shared"))
    root = shared / "fixtures" / folder
    if not root.is_dir():
        pytest.skip(f"no recorded outputs in {root}; set ROCEFAB_REFERENCE to the reference data")
    files = [path for path in root.rglob("*") if path.is_file()]
    assert files
    for path in files:
        system = system_of(path.read_text(encoding="utf-8"))
        assert system in {None, RECORDED[folder]}, path


def test_recorded_configurations_are_recognised() -> None:
    shared = Path(os.environ.get("ROCEFAB_REFERENCE", REPOSITORY.parent / "shared"))
    names = {"eos": "show_running_config_all_interface_*.cfg", "nxos": "show_running_config_all_*"}
    files = {
        path: nos for nos, name in names.items() for path in (shared / "fixtures" / nos).glob(name)
    }
    if not files:
        pytest.skip(f"no recorded outputs in {shared}; set ROCEFAB_REFERENCE to the reference data")
    for path, nos in files.items():
        assert system_of(path.read_text(encoding="utf-8")) == nos, path
