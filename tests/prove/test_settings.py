"""Every value of a setting that has lines of its own: what is rendered is proved."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from fabric.core.errors import FabricError
from fabric.intent.device_model import PortOverride
from fabric.intent.scalars import EcmpMode
from tests.prove.fabrics import prove
from tests.prove.test_systems import CHANGES, fabric_of

SYSTEMS: dict[str, dict[str, str]] = {
    **{system: changes["demo"] for system, changes in CHANGES.items()},
    "sonic, eos": {},
    "eos": {"ACS-MSN4700": "7060X6-64PE"},
}
FECS = [
    value
    for part in get_args(PortOverride.model_fields["fec"].annotation)
    for value in get_args(part)
]
HEAD = "name: demo\n"
#: Comware 7 has no line for forward error correction, and one way of load balancing.
LEAST = {"comware7": 1}


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_value_is_proved(tmp_path: Path, system: str) -> None:
    """Of load balancing, and of forward error correction on a port; `check` judges which fit."""
    settings = [f"ecmp: {{mode: {mode}}}\n" for mode in get_args(EcmpMode)]
    settings += [f"FEC {fec}" for fec in FECS]
    port = fabric_of(tmp_path, "demo", SYSTEMS[system])[0].devices["su1-rail0"].ports[0].name
    proved = 0
    for number, setting in enumerate(settings):
        folder = tmp_path / str(number)
        folder.mkdir()
        changes = dict(SYSTEMS[system])
        if setting.startswith("FEC"):
            _with_fec(folder, port, setting.removeprefix("FEC "))
        else:
            changes[HEAD] = HEAD + setting
        try:
            project, texts = fabric_of(folder, "demo", changes)
        except FabricError:  # the system has no such lines
            continue
        assert prove(project, texts).breaches == (), setting
        proved += 1
    assert proved >= LEAST.get(system, len(FECS) + 1)


def _with_fec(folder: Path, port: str, fec: str) -> None:
    """Set it on a port of the first leaf."""
    (folder / "devices").mkdir()
    text = f"devices:\n  - names: su1-rail0\n    ports: {{{port!r}: {{fec: {fec}}}}}\n"
    (folder / "devices" / "fec.yaml").write_text(text, encoding="utf-8")
