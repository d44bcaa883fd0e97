"""prove --against REVISION: what a change of the inventory does to routes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cli.runs import run
from tests.repository import demo_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return the demo inventory in a repository."""
    return demo_repository(tmp_path)


PORT_OFF = "devices: [{names: su2-rail1, ports: {Ethernet128: {enabled: false}}}]"
#: Example, a file of it, its old and its new text -> how next hops change, and on how many leaves.
CHANGES = {
    "nothing": ("demo", "fabric.yaml", "spines: {count: 2", "spines: {count: 2", "", 0),
    "a new spine": ("demo", "fabric.yaml", "spines: {count: 2", "spines: {count: 3", "gains", 4),
    "a spine is gone": (
        "demo",
        "fabric.yaml",
        "spines: {count: 2",
        "spines: {count: 1",
        "loses",
        4,
    ),
    "a port is off": ("demo", "devices/off.yaml", "", PORT_OFF, "loses", 4),
    "IPv6": ("ipv6", "fabric.yaml", "spines: {count: 2", "spines: {count: 1", "loses", 4),
    "tenants": ("tenants", "fabric.yaml", "spines: {count: 2", "spines: {count: 1", "loses", 4),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_next_hops_is_shown(tmp_path: Path, name: str) -> None:
    """A cable that is gone carries a session of the inventory from before."""
    example, place, old, new, way, leaves = CHANGES[name]
    repository = demo_repository(tmp_path, example=example)
    file = repository / place
    text = file.read_text(encoding="utf-8") if old else ""
    file.parent.mkdir(exist_ok=True)
    assert old in text
    file.write_text(text.replace(old, new) if old else new, encoding="utf-8")
    ended = run("prove", repository, "--against", "main", "--full")
    assert ended.code == 0
    told = re.findall(r"(su\d-rail\d): the switch (gains|loses) next hops", ended.out)
    assert {word for _, word in told} == ({way} if way else set())
    assert len({leaf for leaf, _ in told}) == leaves
    none = "--against: no switch loses or gains a next hop\n"
    assert (none in ended.err) is (not way)
    assert ("BGP inside the VRFs of tenants is not compared" in ended.err) is (name == "tenants")


def test_a_folder_has_no_cables(repository: Path, tmp_path: Path) -> None:
    """That is said: a spine that is gone is missed there."""
    before = tmp_path / "before"
    run("render", repository, "--out", before)
    edit_spines(repository)
    ended = run("prove", repository, "--against", before)
    assert ended.code == 0
    assert "a folder has no cables: those of the inventory now count for both sides" in ended.err


def edit_spines(folder: Path) -> None:
    file = folder / "fabric.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("spines: {count: 2", "spines: {count: 1"), encoding="utf-8")


def test_what_is_neither_folder_nor_revision(repository: Path) -> None:
    ended = run("prove", repository, "--against", "nowhere")
    assert ended.code == 2
    assert "nowhere" in ended.err


@pytest.mark.parametrize("option", ["--against", "--snapshot"])
def test_a_folder_without_configurations(option: str, repository: Path, tmp_path: Path) -> None:
    ended = run("prove", repository, option, tmp_path)
    assert ended.code == 2
    assert f"{option} {tmp_path}: no configuration of these switches" in ended.err
