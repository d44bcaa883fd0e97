"""Each configuration is recognised as one of the system that it is written for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fabric.observe.configuration.lossless import lossless_readers, system_of

REPOSITORY = Path(__file__).parents[2]
GOLDEN = REPOSITORY / "tests" / "golden"
#: Files of a switch that are no configuration: they go with one.
COMPANIONS = {"clear.nv", "zz-rocefab-neighbours.conf"}
FILES = sorted(
    path
    for system in lossless_readers
    for path in (GOLDEN / system).rglob("*")
    if path.is_file() and path.name not in COMPANIONS
)
#: Whole configurations of the reference data, by system.
SAMPLES = {"eos": "*.cfg", "junos": "jvd/*.conf", "nxos": "*.cfg"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(GOLDEN)))
def test_a_rendered_file_is_recognised(path: Path) -> None:
    system = path.relative_to(GOLDEN).parts[0]
    assert system_of(path.read_text(encoding="utf-8")) == system


@pytest.mark.parametrize(
    "path", sorted(GOLDEN.rglob("*/clear.nv")), ids=lambda path: str(path.relative_to(GOLDEN))
)
def test_a_file_that_only_clears_is_no_configuration(path: Path) -> None:
    assert system_of(path.read_text(encoding="utf-8")) is None


@pytest.mark.parametrize("system", SAMPLES)
def test_a_configuration_of_a_real_switch_is_recognised(system: str) -> None:
    shared = Path(os.environ.get("ROCEFAB_REFERENCE", REPOSITORY.parent / "shared"))
    paths = sorted((shared / "fixtures" / system).rglob(SAMPLES[system]))
    if not paths:
        pytest.skip(f"no configurations in {shared}; set ROCEFAB_REFERENCE to the reference data")
    for path in paths:
        assert system_of(path.read_text(encoding="utf-8")) == system, path


#: Folder of the recorded outputs of commands, by system.
RECORDED = {"huawei-vrp8": "vrp8", "comware7": "comware7"}


@pytest.mark.parametrize("folder", RECORDED)
def test_recorded_outputs_are_of_no_other_system(folder: str) -> None:
    shared = Path(os.environ.get("ROCEFAB_REFERENCE", REPOSITORY.parent / "shared"))
    files = [path for path in (shared / "fixtures" / folder).rglob("*") if path.is_file()]
    if not files:
        pytest.skip(f"no recorded outputs in {shared}; set ROCEFAB_REFERENCE to the reference data")
    for path in files:
        system = system_of(path.read_text(encoding="utf-8"))
        assert system in {None, RECORDED[folder]}, path
