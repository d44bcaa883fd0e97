"""Every switch model that rocefab has makes a small fabric that is checked and configured."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fabric.core.errors import RenderError
from fabric.core.findings import Severity
from fabric.platforms.catalogue import sku, sku_names
from fabric.platforms.model import CageKind, Sku
from fabric.render import render_device
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.render.designs import INVENTORY, designer
from tests.render.test_own_models import CASES

SYSTEMS = ("comware7", "cumulus", "eos", "esonic", "junos", "nxos", "sonic", "vrp8")


def speeds(model: Sku, spine: Sku) -> tuple[int, int]:
    """Return speeds of NICs and of uplinks: the fastest that the first and last cages have."""
    first, *_ = model.cages()
    last = uplinks(model, spine)
    with_rows = {speed // 1000 for speed, _ in model.headroom} or {*model.all_speeds_gbps}
    host = max({*first[0].speeds_gbps} & with_rows, default=max(first[0].speeds_gbps))
    shared = {*last[0].speeds_gbps} & {*spine.all_speeds_gbps}
    return host, max(shared & with_rows, default=max(shared))


def uplinks(model: Sku, spine: Sku) -> tuple[CageKind, range]:
    """Return the last cages of a leaf that have a speed of a spine."""
    first, *_ = spine.cages()
    shared = {*first[0].speeds_gbps}
    return [one for one in model.cages() if shared & {*one[0].speeds_gbps}][-1]


def spine_for(model: Sku, usual: Sku) -> Sku:
    """Return a spine that has a speed of the last cages of a leaf, or the usual one."""
    *_, last = model.cages()
    same = (sku(name) for name in sku_names() if sku(name).nos == usual.nos)
    alike = (one for one in same if not one.kinds and not one.lacks)
    fast = {*last[0].speeds_gbps} - {10, 25}
    return next((one for one in (usual, *alike) if fast & {*one.speeds_gbps}), usual)


def fabric_text(model: Sku) -> str:
    """Return the demo with leaves of a model; NICs are on its first cages, uplinks on the last."""
    text = (INVENTORY / "demo" / "fabric.yaml").read_text(encoding="utf-8")
    for old, new in CASES.get(model.nos, {}).items():
        assert old in text
        text = text.replace(old, new)
    spine = re.search(r"spine: \{sku: ([^,}]+)", text)
    assert spine is not None
    above = spine_for(model, sku(spine[1]))
    ports = uplinks(model, above)[1]
    host_ports = ports[0] - 1 if ports[0] > 1 else ports[-1] // 2
    leaf = f"leaf: {{sku: {model.name}, host_ports: {host_ports}"
    text = re.sub(r"leaf: \{sku: [^,}]+(, host_ports: \d+)?", leaf, text, count=1)
    text = text.replace(spine[0], f"spine: {{sku: {above.name}")
    host, uplink = speeds(model, above)
    wanted = f"speeds: {{host_gbps: {host}, uplink_gbps: {uplink}}}"
    return re.sub(r"speeds: \{.*\}", wanted, text, count=1)


@pytest.mark.parametrize("system", SYSTEMS)
def test_small_fabrics(system: str, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Without an error, but for models that say that their configuration needs more."""
    names = [name for name in sku_names() if sku(name).nos == system]
    assert names
    for name in names:
        with subtests.test(name):
            judge(sku(name), tmp_path / name)


def judge(model: Sku, folder: Path) -> None:
    folder.mkdir()
    (folder / "fabric.yaml").write_text(fabric_text(model), encoding="utf-8")
    findings = check(Project(folder)).findings
    errors = {one.rule for one in findings if one.severity is Severity.ERROR}
    made, rows = designer(folder)
    leaf = made.design(rows["su1-rail0"])
    assert {port.name for port in leaf.ports} == {*model.port_numbers()}
    if model.lacks:
        assert errors == {"REN001"}
        with pytest.raises(RenderError, match="buffer p"):
            render_device(leaf)
        return
    assert not errors
    text = "\n".join(one.text for one in render_device(leaf))
    assert model.port(1) in text
    assert any(port.headroom for port in leaf.ports if port.kind == "host")


def test_every_model_is_of_one_of_the_systems() -> None:
    assert {sku(name).nos for name in sku_names()} == set(SYSTEMS)
