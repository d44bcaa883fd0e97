"""A plan file is judged whole, before anything of it is used."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import replace

import pytest

from fabric.change.causes import PlannedCause, PlannedCauses
from fabric.change.model import parse_plan
from fabric.change.rollout import LeafPings, Ping, RolloutPlan, Stage
from fabric.core.errors import InputError, PlanError
from fabric.intent.rollout_model import Rollout
from fabric.workflow.plan_causes import describe_causes
from fabric.workflow.plan_text import describe
from tests.cases import each
from tests.change import memory_fabric
from tests.cli.runs import process


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("devices")
    with pytest.MonkeyPatch.context() as patch:
        memory_fabric.use_memory_drivers(patch)
        memory_fabric.create(folder)
        return memory_fabric.make_plan(folder).to_json()


def sealed(data):
    """Return the text of a plan file whose digest is right."""
    body = {key: value for key, value in data.items() if key != "digest"}
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    return json.dumps({"digest": digest, **body})


def leaf(data):
    return data["devices"]["leaf1"]


def told(written, said):
    """Return a plan in which a device says something else than planned."""
    plan = parse_plan(written, "plan")
    leaf1 = plan.devices["leaf1"]
    changes = tuple(replace(change, before=said) for change in leaf1.changes)
    return replace(plan, devices={**plan.devices, "leaf1": replace(leaf1, changes=changes)})


@pytest.mark.parametrize("said", ["\u00fc", "a\nb"])
def test_what_a_device_said_is_read_back(written, said):
    plan = told(written, said)
    assert parse_plan(plan.to_json(), "plan") == plan


def test_half_a_character_is_written_and_refused(written):
    text = told(written, "\ud800").to_json()
    assert "\\ud800" in text
    with pytest.raises(InputError):
        parse_plan(text, "plan")


#: What is done to a good plan, and where the error is said to be.
DAMAGE = {
    "no waves": (lambda d: d.pop("waves"), "waves"),
    "waves are a number": (lambda d: d.update(waves=3), "waves"),
    "a wave is a text": (lambda d: d["waves"].append("leaf1"), "waves[2]"),
    "a wave names nobody": (lambda d: d["waves"].append(["leaf9"]), "waves: leaf9"),
    "a device is in two waves": (lambda d: d["waves"].append(["leaf1"]), "waves: leaf1"),
    "a device is in no wave": (lambda d: d["waves"].pop(), "devices.leaf1"),
    "devices are a list": (lambda d: d.update(devices=[]), "devices"),
    "a device is a path": (
        lambda d: d["devices"].update({"../x": d["devices"].pop("leaf1")}),
        "devices.../x",
    ),
    "a device is null": (lambda d: d["devices"].update(leaf1=None), "devices.leaf1"),
    "it bears another name": (lambda d: leaf(d).update(device="leaf2"), "devices.leaf1.device"),
    "a platform of another time": (
        lambda d: leaf(d).update(platform="amiga"),
        "devices.leaf1.platform",
    ),
    "an unknown method": (lambda d: leaf(d).update(method="hope"), "devices.leaf1.method"),
    "an unknown risk": (
        lambda d: leaf(d)["changes"][0].update(risk="none at all"),
        "devices.leaf1.changes[0].risk",
    ),
    "a change without a path": (
        lambda d: leaf(d)["changes"][0].pop("path"),
        "devices.leaf1.changes[0].path",
    ),
    "an unknown field": (lambda d: leaf(d).update(extra=1), "devices.leaf1.extra"),
    "no fingerprint": (lambda d: leaf(d).update(fingerprint=""), "devices.leaf1.fingerprint"),
    "no artefacts": (lambda d: leaf(d).pop("artefacts"), "devices.leaf1.artefacts"),
    "an artefact outside": (
        lambda d: leaf(d)["artefacts"][0].update(path="../../etc/passwd"),
        "devices.leaf1.artefacts[0].path",
    ),
    "a text that is another": (
        lambda d: leaf(d)["artefacts"][0].update(text="{}"),
        "devices.leaf1.artefacts[0].sha256",
    ),
    "a text that is a number": (
        lambda d: leaf(d)["artefacts"][0].update(text=5),
        "devices.leaf1.artefacts[0].text",
    ),
    "expects nothing": (lambda d: leaf(d).update(expected={}), "devices.leaf1.expected.bgp"),
    "an AS number that is a text": (
        lambda d: leaf(d)["expected"].update(bgp={"10.0.0.1": "65000"}),
        "devices.leaf1.expected.bgp.10.0.0.1",
    ),
    "a neighbour without ports": (
        lambda d: leaf(d)["expected"].update(lldp={"Ethernet0": ["spine01"]}),
        "devices.leaf1.expected.lldp.Ethernet0[1]",
    ),
    "a priority that is none": (
        lambda d: leaf(d)["expected"].update(pfc={"Ethernet0": [9]}),
        "devices.leaf1.expected.pfc.Ethernet0[0]",
    ),
}


@each("name", DAMAGE)
@pytest.mark.fault(11)
def test_what_is_wrong_is_said_with_its_place(written, name):
    damage, place = DAMAGE[name]
    data = json.loads(written)
    damage(data)
    with pytest.raises(InputError, match=r"errors? in plan.json") as caught:
        parse_plan(sealed(data), "plan.json")
    assert place in [finding.field for finding in caught.value.findings]


def test_all_errors_are_told_at_once_and_not_too_many(written):
    data = json.loads(written)
    leaf(data).update(method="hope", fingerprint="x", no_net=5)
    with pytest.raises(InputError, match="3 errors in plan.json"):
        parse_plan(sealed(data), "plan.json")
    leaf(data).update({f"key{number}": 1 for number in range(1000)})
    with pytest.raises(InputError, match="the first 50 are shown") as caught:
        parse_plan(sealed(data), "plan.json")
    assert len(caught.value.findings) == 50


@pytest.mark.parametrize(
    "text", ["", "null", "[]", "5", "{}", "[" * 100_000, '{"digest": "", "format": NaN}']
)
@pytest.mark.fault(11)
def test_what_is_no_plan_is_none(text):
    with pytest.raises(PlanError, match="is not a plan file; create one") as caught:
        parse_plan(text, "plan.json")
    assert "Expecting" not in str(caught.value)  # the parser's words say nothing of plans


def test_a_good_plan_comes_back_as_it_was(written):
    assert parse_plan(written, "plan.json").to_json() == written
    assert parse_plan(sealed(copy.deepcopy(json.loads(written))), "plan.json").waves


def test_a_plan_from_before_the_pings_of_tenants_is_read(written):
    ping = Ping("gpu1", "gpu2", "10.64.0.0", "10.64.0.2", 4200, 106)
    pings = LeafPings({"leaf1": ping}, "no leaf changes")
    stage = Stage("leaf", ("leaf1",), pings=(ping,))
    rollout = RolloutPlan(Rollout(), (stage,), ())
    new = replace(parse_plan(written, "plan"), leaf_pings=pings, rollout=rollout)
    data = json.loads(new.to_json())
    for name in ("denied", "joined", "unjoined", "withdrawn"):
        del data["leaf_pings"][name]
    for name in ("denied", "joined", "withdrawn"):
        del data["rollout"]["stages"][0][name]
    plan = parse_plan(sealed(data), "plan")
    assert plan.leaf_pings == pings
    assert plan.rollout.stages == (stage,)


def test_causes_come_back_as_they_were_and_a_plan_from_before_has_none(written):
    old = parse_plan(written, "plan")
    assert old.why is None
    cause = PlannedCause(("fabric.yaml:3 name: a -> b",), "", ("leaf1",), 1, "leaf1", "+ x")
    new = replace(old, why=PlannedCauses((cause,), "run 1 (b34b670f61eb)", ("PFC off",)))
    assert parse_plan(new.to_json(), "plan") == new
    assert describe(new).replace("\n".join(describe_causes(new.why, full=False)) + "\n", "") == (
        describe(old)
    )


@pytest.mark.parametrize("name", ["an unknown risk", "devices are a list", "expects nothing"])
def test_a_malformed_plan_is_bad_input_in_a_fresh_process(written, name, tmp_path):
    data = json.loads(written)
    DAMAGE[name][0](data)
    (tmp_path / "plan.json").write_text(sealed(data))
    ended = process("apply", tmp_path / "plan.json", "--commit", cwd=tmp_path)
    assert ended.code == 2
    assert f"{DAMAGE[name][1]}: " in ended.err
    assert not (tmp_path / ".rocefab").exists(), "nothing began"


def test_a_variable_does_not_make_a_change_of_a_dry_run(written, tmp_path):
    (tmp_path / "plan.json").write_text(written)
    words = ("apply", tmp_path / "plan.json", "--state", tmp_path / "state")
    names = ("COMMIT", "RESUME", "WITHOUT_SAFETY_NET", "DESPITE_CABLING")
    risky = {f"ROCEFAB_{name}": "1" for name in names}
    process(*words, cwd=tmp_path, **risky)
    assert not (tmp_path / "state").exists()


def test_a_link_beside_the_plan_is_not_followed(tmp_path, monkeypatch):
    """`plan --out` writes by a file of a random name, whatever lies there."""
    from fabric.cli.change import _write

    (tmp_path / "victim").write_text("untouched")
    for name in ("plan.json", ".plan.json.part"):
        (tmp_path / name).symlink_to(tmp_path / "victim")
    _write(tmp_path / "plan.json", "{}")
    assert (tmp_path / "victim").read_text() == "untouched"
    assert (tmp_path / "plan.json").read_text() == "{}"
