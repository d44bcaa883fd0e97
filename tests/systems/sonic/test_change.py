"""Running + patch = intended, and back again; tests/change/sonic holds one folder per case."""

from __future__ import annotations

import json
from pathlib import Path

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.model import Risk
from fabric.devices.candidate import SonicLive, SonicStep
from fabric.observe.snapshot import Running
from fabric.systems.sonic import adapters as sonic
from fabric.systems.sonic.adapters.patch import patch
from fabric.systems.sonic.adapters.ports import port_of
from fabric.systems.sonic.gcu import RELEASES, Updater
from fabric.systems.sonic.ownership import OWNED_TABLES
from tests.cases import examples
from tests.devices.memory import _applied

CASES = Path(__file__).parents[2] / "change" / "sonic"
LISTED = Updater("ACS-MSN4700", "202405")
NAMES = sorted(path.name for path in CASES.iterdir())


def load(case, name):
    return json.loads((CASES / case / f"{name}.json").read_text())


def as_plain(candidate):
    return {
        "method": candidate.method,
        "steps": [
            {
                "kind": step.kind,
                "text": json.loads(step.text),
                "back": json.loads(step.back or "{}"),
            }
            for step in getattr(candidate, "steps", ())
        ],
    }


def candidate(running, target, updater=LISTED):
    return sonic.way(running, target, updater).candidate()


def without_empty(config):
    return {table: rows for table, rows in config.items() if rows}


def golden(case, name, found, update):
    path = CASES / case / f"{name}.json"
    if update:
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    assert found == json.loads(path.read_text())


@pytest.mark.parametrize("case", NAMES)
def test_there_and_back(case, update_golden):
    running, intended = load(case, "running"), load(case, "intended")
    target = sonic.compose(running, intended)
    there, back = candidate(running, target), candidate(target, running)
    golden(case, "patch", as_plain(there), update_golden)
    golden(case, "rollback", as_plain(back), update_golden)
    assert without_empty(_applied(running, there)) == target
    assert without_empty(_applied(target, back)) == without_empty(running)
    assert sonic.differences(target, sonic.compose(target, intended)) == []


METHODS = {
    "bgp_neighbour": ("live", Risk.BRIEF_LOSS),
    "buffer_pool": ("live", Risk.BRIEF_LOSS),
    "device_type": ("reload", Risk.RESTART),
    "first_day": ("reload", Risk.RESTART),
    "ntp": ("live", Risk.HARMLESS),
    "pfc_watchdog": ("live", Risk.HARMLESS),
    "port_qos_map": ("live", Risk.PORT_FLAP),
    "self_made_profiles": ("live", Risk.BRIEF_LOSS),
    "table_vanishes": ("live", Risk.BRIEF_LOSS),
    "thresholds": ("live", Risk.HARMLESS),
    "vlan": ("live", Risk.BRIEF_LOSS),
    "watchdog_row": ("live", Risk.HARMLESS),
}


@pytest.mark.parametrize("case", NAMES)
def test_method_and_risk(case):
    running = load(case, "running")
    target = sonic.compose(running, load(case, "intended"))
    cells = [cell for cell, _, _ in sonic.differences(running, target)]
    risk = max(sonic.risk(cell) for cell in cells)
    assert (candidate(running, target).method, risk) == METHODS[case]


def test_every_case_is_here():
    assert sorted(METHODS) == NAMES


TABLES = st.sampled_from([*OWNED_TABLES, "DEVICE_METADATA", "MGMT_INTERFACE", "A/B", "~T"])
PORT_ROWS = ["Ethernet0", "Ethernet8", "GLOBAL", "Ethernet0|3-4"]
ROWS = st.sampled_from([*PORT_ROWS, "AZURE_LOSSLESS", "x/y", "a~b", "localhost"])
FIELDS = st.sampled_from(["weight", "pfc_enable", "dynamic_th", "mtu", "fec", "a/b", "~", "hwsku"])
VALUES = st.sampled_from(["0", "1", "rs"]) | st.lists(st.sampled_from(["a", "b"]), max_size=2)
CONFIGS = st.dictionaries(
    TABLES,
    st.dictionaries(ROWS, st.dictionaries(FIELDS, VALUES, max_size=3), max_size=3),
    max_size=5,
)


UPDATERS = st.builds(
    Updater,
    st.sampled_from(["ACS-MSN4700", "DellEMC-Z9332f-O32", "Arista-7050-QX32"]),
    st.sampled_from(["", *RELEASES]),
)


@given(CONFIGS, CONFIGS, UPDATERS)
@examples(400)
def test_any_change_reaches_exactly_its_target(running, other, updater):
    target = without_empty(other)
    found = sonic.differences(running, target)
    assert (found == []) == (without_empty(running) == target)
    change = candidate(running, target, updater)
    assert without_empty(_applied(running, change)) == target
    assert sonic.differences(_applied(running, change), target) == []
    state = without_empty(running)
    for step in getattr(change, "steps", ()):
        before = state
        state = without_empty(_applied(state, SonicLive((step,))))
        if step.kind == "patch":  # as the updater sees it
            operations = list(jsonpatch.make_patch(before, state))
            assert all(map(updater.takes, operations))
            assert all(state.values()), "apply-patch refuses a table that is left empty"
            for table in ("PFC_WD", "BUFFER_PG"):  # the daemons change them meanwhile
                old, new = ({r for r in c.get(table, {}) if port_of(r)} for c in (before, state))
                assert old == new
        assert without_empty(undone(state, step, before)) == before


def undone(state, step, before):
    """Return a configuration after the commands that undo a step (`drivers._back`)."""
    if step.kind == "patch":
        return before
    if step.kind == "drop":
        return _applied(state, SonicLive((SonicStep("load", step.text),)))
    text, back = json.loads(step.text), json.loads(step.back)
    new = {
        table: {row: fields for row, fields in rows.items() if row not in back.get(table, {})}
        for table, rows in text.items()
    }
    steps = (SonicStep("load", step.back), SonicStep("drop", json.dumps(new)))
    return _applied(state, SonicLive(steps))


@given(CONFIGS, CONFIGS)
@examples(200)
def test_what_is_not_ours_stays(running, intended):
    target = sonic.compose(running, intended)
    for table, rows in without_empty(running).items():
        if table not in OWNED_TABLES and table != "DEVICE_METADATA":
            assert target[table] == rows
    for table, rows in without_empty(intended).items():
        if table == "VRF":  # those of others stay
            assert target[table] == {**running.get(table, {}), **rows}
        elif table in OWNED_TABLES:
            assert target[table] == rows
    assert sonic.compose(target, intended) == target
    for row, fields in running.get("DEVICE_METADATA", {}).items():
        assert fields.keys() <= target["DEVICE_METADATA"][row].keys()


@given(CONFIGS, CONFIGS)
@examples(200)
def test_patch_alone_is_exact(running, other):
    target = without_empty(other)
    patched = jsonpatch.apply_patch(running, patch(running, target))
    assert without_empty(patched) == target


@pytest.mark.parametrize("field", ["auth_password", "passkey", "password", "auth_key", "secret"])
@pytest.mark.fault(22)
def test_secrets_of_config_db_are_not_shown(field):
    cells = sonic.differences({"BGP_NEIGHBOR": {"10.0.0.1": {field: "hunter2"}}}, {})
    text = "\n".join(sonic._lines(cells)) + sonic._show(cells[0][0], cells[0][1])
    assert "hunter2" not in text
    assert "***" in text


@pytest.mark.fault(22)
def test_what_a_rollback_could_not_restore_names_no_community():
    rows = {"SNMP_COMMUNITY": {"hunter2": {"TYPE": "RO"}}, "TACPLUS": {"global": {"passkey": "x"}}}
    sides = (Running("leaf", "sonic", config, "", None, {}) for config in (rows, {}))
    assert sonic.adapters["sonic"].apart(*sides) == {"SNMP_COMMUNITY ***", "TACPLUS|global|passkey"}
