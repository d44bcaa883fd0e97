"""diff: tenants in files of their own, and tenants that lose their tunnels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from fabric.report.diff.forms import FORMS
from fabric.workflow.diff import between
from fabric.workflow.diff_judged import judged
from fabric.workflow.diff_source import Source
from fabric.workflow.work import Work
from tests.report.diffs import INVENTORY, compared, edited

if TYPE_CHECKING:
    from pathlib import Path

    from fabric.report.diff.traced import Contents

TENANTS = INVENTORY / "tenants"
LEAVES_BLUE = ("hosts: gpu002, nics: {gpu004: [0]}", "hosts: gpu002")
LOCAL = ("form: evpn", "form: local")


def _in_files(folder: Path) -> Path:
    """Put the tenants of an inventory into files of their own."""
    file = folder / "fabric.yaml"
    data = yaml.safe_load(file.read_text())
    (folder / "tenants").mkdir()
    for tenant in data.pop("tenants"):
        text = yaml.safe_dump({"tenants": [tenant]})
        (folder / "tenants" / f"{tenant['name']}.yaml").write_text(text)
    file.write_text(yaml.safe_dump(data, sort_keys=False))
    return folder


def test_hosts_at_other_ports_of_a_leaf_are_not_touched(tmp_path: Path) -> None:
    """A NIC leaves its tenant, which stays on the leaf: the leaf changes at one port alone."""
    joins = 'hosts: "gpu[001,003]"', 'hosts: "gpu[001,003]", nics: {gpu004: [0]}'
    before = edited(tmp_path, LEAVES_BLUE, joins, source=TENANTS, name="before")
    after = edited(tmp_path, joins[::-1], source=before)
    diff = compared(before, after)
    (leaf,) = (device for device in diff.devices if device.name == "su2-rail0")
    assert leaf.risk != "harmless"
    assert diff.attached == ()
    other = edited(tmp_path, ("id: 17", "id: 19"), source=after, name="other")
    assert "gpu003" in compared(after, other).attached, "lines of a VRF name no port"


def test_a_tenant_in_a_file_is_compared_as_one_in_fabric_yaml(tmp_path: Path) -> None:
    before, after = (
        edited(tmp_path, *edits, source=TENANTS, name=name)
        for name, edits in (("before", ()), ("after", (LEAVES_BLUE,)))
    )
    inline = compared(before, after)
    own = compared(_in_files(before), _in_files(after))
    assert inline.judged
    assert own.judged
    assert inline.judged.proof_after == own.judged.proof_after
    assert [one.message for one in inline.judged.changed] == [
        one.message for one in own.judged.changed
    ]
    assert inline.consequences == own.consequences
    assert inline.summary == own.summary
    assert inline.summary.edits == 1
    (edit,) = own.edits
    assert edit.field == "tenants.[blue].nics.gpu004"
    assert edit.before_place
    assert edit.before_place.file.endswith("tenants/blue.yaml")
    assert [cause.edits for cause in own.causes] == [(edit,)]


def test_a_new_file_of_a_tenant_is_judged(tmp_path: Path) -> None:
    before = edited(tmp_path, source=TENANTS, name="before")
    after = _in_files(edited(tmp_path, source=before))
    before = _in_files(before)
    (before / "tenants" / "blue.yaml").unlink()
    result = compared(before, after)
    assert [edit.field for edit in result.edits] == ["tenants.[blue]"]
    assert result.judged


def test_tenants_without_tunnels_lose_their_pairs(tmp_path: Path) -> None:
    result = compared(TENANTS, edited(tmp_path, LOCAL, source=TENANTS))
    assert result.summary.risk == "reachability lost"
    assert "18 pairs of NICs no longer reach each other" in [
        consequence.words for consequence in result.consequences
    ]


def test_other_designs_are_judged_without_an_edit(tmp_path: Path) -> None:
    """Whatever a difference comes from, the gate of a pipeline sees what it does."""

    class Unread(Source):
        """A side whose edits nothing lists."""

        def contents(self) -> Contents:
            return before.contents()

    before = Source(TENANTS, str(TENANTS), Work())
    after = Unread(edited(tmp_path, LEAVES_BLUE, source=TENANTS), "after", Work())
    result = between(before, after, {}, lambda *_: None, judged)
    assert (result.edits, result.judged is None) == ((), False)


def test_a_tenant_whose_switches_change_keeps_its_nics(tmp_path: Path) -> None:
    wider = ("lossless:\n", "lossless:\n  mtu: {port_bytes: 9200}\n")
    result = compared(TENANTS, edited(tmp_path, wider, source=TENANTS))
    assert [(one.name, one.joined, one.left) for one in result.tenants] == [
        ("blue", (), ()),
        ("red", (), ()),
    ]
    assert FORMS["text"](result).count("same NICs") == 2


def test_leaves_that_differ_in_addresses_alone_are_one_row(tmp_path: Path) -> None:
    gone = ('{name: red, id: 17, hosts: "gpu[001,003]"}', "{name: red, id: 17}")
    diff = compared(TENANTS, edited(tmp_path, gone, source=TENANTS))
    for form in ("text", "markdown", "html"):
        text = FORMS[form](diff).replace("\\", "")
        assert "su1-rail[0-1],su2-rail0 (eos leaf): risk" in text, form
        of = "names of neighbours, addresses, AS numbers, VNIs or VLANs"
        assert f"those of the others have other {of}" in text, form
        assert "gpu[001,003] rail [0-1]" in text, form
