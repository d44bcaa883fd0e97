"""tenant: edits that one reads in a diff, steps of a move, and what cannot be done."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fabric.core.errors import InputError
from fabric.intent.inventory import load
from fabric.workflow.inventory_edit import Edited
from fabric.workflow.tenant import TenantEditor, members_of, running_jobs
from tests.cases import each

EXAMPLE = Path(__file__).parents[2] / "inventory" / "tenants"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "inventory"))


def lines(edited: Edited) -> list[str]:
    """Return the lines of a diff that go or come."""
    rows = edited.diff.splitlines()
    return [row for row in rows if row[:1] in "+-" and row[:3] not in ("+++", "---")]


def has(folder: Path) -> dict[str, list[str]]:
    """Return the NICs of each tenant."""
    return {
        item.value.name: [
            item.value.hosts or "",
            *(f"{h}:{list(r)}" for h, r in item.value.nics.items()),
        ]
        for item in load(folder).tenants
    }


def change(folder: Path, verb: str, name: str, hosts: str = "", *nics: str) -> Edited:
    """Edit the members of a tenant."""
    edited: Edited = getattr(TenantEditor(folder), verb)(
        name, members_of(load(folder), hosts, nics)
    )
    return edited


def test_a_move_takes_two_steps(folder: Path) -> None:
    first = change(folder, "move", "blue", "gpu003")
    assert lines(first) == [
        '-  - {name: red, id: 17, hosts: "gpu[001,003]"}',
        '+  - {name: red, id: 17, hosts: "gpu001"}',
    ]
    assert first.next_step.startswith("step 1 of 2, quarantine")
    second = change(folder, "move", "blue", "gpu003")
    assert lines(second) == [
        "-  - {name: blue, id: 18, hosts: gpu002, nics: {gpu004: [0]}}",
        "+  - {name: blue, id: 18, hosts: 'gpu[002-003]', nics: {gpu004: [0]}}",
    ]


def test_rails_of_a_host(folder: Path) -> None:
    change(folder, "revoke", "red", "", "gpu001:1")
    assert has(folder)["red"] == ["gpu003", "gpu001:[0]"]
    change(folder, "grant", "blue", "", "gpu001:1", "gpu004:1")
    assert has(folder)["blue"] == ["gpu[002,004]", "gpu001:[1]"]
    change(folder, "revoke", "blue", "gpu[002,004]")
    assert has(folder)["blue"] == ["", "gpu001:[1]"]


def test_a_tenant_comes_and_goes_and_its_id_waits(folder: Path) -> None:
    added = TenantEditor(folder).add("green", None, {"hosts": "", "services": [], "shared": False})
    assert lines(added) == ["+tenants:", "+  - {name: green, id: 1}"]
    removed = TenantEditor(folder).remove("green")
    assert "retired: [1]" in removed.diff
    assert not (folder / "tenants/green.yaml").exists()
    again = TenantEditor(folder).add("lime", None, {})
    assert lines(again)[-1] == "+  - {name: lime, id: 2}"
    with pytest.raises(InputError) as caught:
        TenantEditor(folder).add("green", 1, {})
    assert "id 1 was that of a removed tenant" in str(caught.value.findings[0])
    TenantEditor(folder).release(1)
    TenantEditor(folder).add("green", 1, {})


#: Hosts of a new tenant, and what to do next.
NEXT = {
    "": "run `rocefab tenant grant` to give it hosts, then run `rocefab plan`",
    "gpu001": "run `rocefab plan`",
}


@each("hosts", NEXT)
def test_the_next_step_of_a_tenant(folder: Path, hosts: str) -> None:
    if hosts:
        change(folder, "revoke", "red", hosts)
    added = TenantEditor(folder).add(f"new{hosts}", None, {"hosts": hosts})
    assert added.next_step == NEXT[hosts]


def test_a_dry_run_writes_nothing(folder: Path) -> None:
    before = (folder / "fabric.yaml").read_text()
    editor = TenantEditor(folder, dry_run=True)
    assert editor.revoke("red", members_of(load(folder), "gpu001", ())).diff
    assert (folder / "fabric.yaml").read_text() == before


def test_of_two_operators_the_second_sees_the_first(folder: Path) -> None:
    one, other = TenantEditor(folder), TenantEditor(folder)
    members = members_of(load(folder), "gpu001", ())
    original = (folder / "fabric.yaml").read_text()
    other._edit.text("fabric.yaml")
    one.revoke("red", members)
    assert (folder / "fabric.yaml").read_text() != original
    with pytest.raises(InputError, match="changed while this ran; run it again"):
        other.revoke("red", members)
    with pytest.raises(InputError, match="red does not have rail 0 of gpu001"):
        TenantEditor(folder).revoke("red", members)


WRONG = {
    "of another tenant": ("grant", "blue", "gpu001", "rail 0 of gpu001 is in tenant red; use"),
    "of the same": ("grant", "red", "gpu001", "it has it already"),
    "of nobody": ("revoke", "red", "gpu004", "red does not have rail 0 of gpu004"),
    "no such tenant": (
        "grant",
        "green",
        "gpu004",
        "there is no tenant 'green'; tenants: red, blue",
    ),
    "no such host": ("grant", "red", "gpu009", "there is no host 'gpu009'"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_done_leaves_the_files(name: str, folder: Path) -> None:
    verb, tenant, hosts, message = WRONG[name]
    before = (folder / "fabric.yaml").read_text()
    with pytest.raises(InputError) as caught:
        change(folder, verb, tenant, hosts)
    texts = [str(caught.value), *map(str, caught.value.findings)]
    assert any(message in text for text in texts), texts
    assert (folder / "fabric.yaml").read_text() == before


def test_no_move_through_the_default_vrf(folder: Path) -> None:
    file = folder / "fabric.yaml"
    file.write_text(file.read_text().replace("unassigned: quarantine", "unassigned: keep"))
    with pytest.raises(InputError, match="default VRF between the two tenants"):
        change(folder, "move", "blue", "gpu001")


def test_who_revokes_without_a_quarantine_is_warned(folder: Path) -> None:
    assert change(folder, "revoke", "red", "gpu001").next_step == "run `rocefab plan`"
    file = folder / "fabric.yaml"
    file.write_text(file.read_text().replace("unassigned: quarantine", "unassigned: keep"))
    said = change(folder, "revoke", "red", "gpu003").next_step
    assert "Warning: tenancy.unassigned is keep, so that these NICs go into the default" in said


def test_a_tenant_with_nics_is_not_removed(folder: Path) -> None:
    with pytest.raises(InputError, match=r"red has NICs of gpu\[001,003\]; revoke them"):
        TenantEditor(folder).remove("red")


def test_a_host_with_a_job_stays(folder: Path) -> None:
    before = (folder / "fabric.yaml").read_text()
    editor = TenantEditor(folder, jobs={"4711": ("gpu003",), "4712": ("gpu004",)})
    for verb, name in (("revoke", "red"), ("move", "blue")):
        with pytest.raises(InputError, match="job 4711 runs on gpu003; end it first"):
            getattr(editor, verb)(name, members_of(load(folder), "gpu003", ()))
    with pytest.raises(InputError, match="job 4711 runs on gpu003"):
        editor.remove("red")
    assert (folder / "fabric.yaml").read_text() == before
    editor.revoke("red", members_of(load(folder), "gpu001", ()))


ODD = {
    "a block scalar": "tenants:\n- name: green\n  id: 19\n  hosts: >-\n    gpu001\n",
    "a literal": "tenants:\n- name: green\n  id: 19\n  hosts: |-\n    gpu001\n  shared: true\n",
    "another tenant behind": "tenants:\n- name: green\n  id: 19\n  hosts: >-\n    gpu001\n"
    "- name: violet\n  id: 20\n",
    "hosts first": "tenants:\n- hosts: gpu001\n  name: green\n  id: 19\n",
    "a dash alone": "tenants:\n-\n  name: green\n  id: 19\n  hosts: gpu001\n",
    "over several lines": "tenants:\n- {name: green,\n   hosts: gpu001,\n   id: 19 # b\n  }\n",
    "line ends of Windows": "tenants:\r\n- name: green\r\n  id: 19\r\n  hosts: gpu001\r\n",
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_layout_is_edited_rightly_or_not_at_all(name: str, folder: Path) -> None:
    file = folder / "fabric.yaml"
    file.write_text(file.read_text().replace("gpu[001,003]", "gpu003"))
    own = folder / "tenants" / "green.yaml"
    own.parent.mkdir()
    own.write_bytes(ODD[name].encode())
    before, rest = own.read_bytes(), {k: v for k, v in has(folder).items() if k != "green"}
    for verb, hosts, nic, after in (
        ("grant", "", ("gpu004:1",), ["gpu001", "gpu004:[1]"]),
        ("revoke", "gpu001", (), [""]),
    ):
        own.write_bytes(before)
        try:
            change(folder, verb, "green", hosts, *nic)
        except InputError as error:
            assert "cannot edit this layout" in str(error), (name, verb, error)
            assert own.read_bytes() == before
            continue
        assert has(folder)["green"] == after, (name, verb)
        assert {key: value for key, value in has(folder).items() if key != "green"} == rest


@pytest.mark.parametrize("name", ["../evil", "a/b", "", ".hid", "Red", "sixteen-letters1"])
def test_no_name_leads_out_of_the_folder(name: str, folder: Path) -> None:
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(InputError, match="cannot be the name of a tenant"):
        TenantEditor(folder).add(name, None, {})
    assert sorted(folder.parent.rglob("*")) == before


@pytest.mark.parametrize("text", ["JOBID PARTITION NODELIST\n123 gpu gpu003\n", "gpu003 123\n"])
def test_a_list_of_another_form_is_an_error(text: str, folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "jobs"
    file.write_text(text)
    with pytest.raises(InputError):
        running_jobs(file, load(folder))
    file.write_text("123\tgpu003\n")
    assert running_jobs(file, load(folder)) == {"123": ("gpu003",)}


def test_what_plan_would_reject_comes_before_the_next_step(folder: Path) -> None:
    """A system without EVPN: the edit is written, and says what `check` says."""
    file = folder / "fabric.yaml"
    file.write_text(file.read_text().replace("7050CX3-32S", "ACS-MSN2700"))
    first, *_, last = TenantEditor(folder).add("green", None, {}).next_step.splitlines()
    assert first.endswith(
        "use tenancy.form: local, or another system on leaves and spines [TEN011]"
    )
    step = "then run `rocefab tenant grant` to give it hosts, then run `rocefab plan`"
    assert last == f"`rocefab plan` rejects 3 errors: correct this first, {step}"


def test_a_system_without_tenants_gets_none(folder: Path) -> None:
    file = folder / "fabric.yaml"
    file.write_text(file.read_text().replace("7050CX3-32S", "CE8851-32CQ8DQ-P"))
    with pytest.raises(InputError) as caught:
        TenantEditor(folder).add("green", None, {})
    (wrong,) = caught.value.findings
    assert wrong.rule == "TEN011"
    assert wrong.field == "fabric.tenancy"
    assert wrong.message == "Huawei VRP8 does not support VRFs of tenants"
    assert not (folder / "tenants" / "green.yaml").exists()
