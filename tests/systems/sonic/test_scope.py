"""`scope: merge` on SONiC: rows and fields of others stay, ours are as rendered."""

from __future__ import annotations

import copy
import json
import re
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabric.change.adapter import adapters
from fabric.core.artefact import Artefact
from fabric.design.designs import Designs
from fabric.observe.snapshot import Running
from fabric.render import render_device
from fabric.render.scope import is_merged
from fabric.systems.sonic.adapters.config import compose
from fabric.systems.sonic.adapters.scope import merged
from fabric.systems.sonic.ownership import SHARED
from tests.cases import each, examples
from tests.change import labs

TEMPLATES = Path(__file__).parents[3] / "templates/sonic"
SCOPED = labs.INVENTORY.replace("{sku: ACS-MSN4700}", "{sku: ACS-MSN4700, scope: merge}")
MANAGED = SCOPED + "bgp: {bfd: true}\n"

Row = tuple[str, str, dict]

#: Rows and fields of others: what the plan names, and what it does not.
NAMED: tuple[Row, ...] = (
    ("PORT", "Ethernet0", {"dom_polling": "enabled"}),
    ("VLAN", "Vlan101", {"dhcp_servers": ["192.0.2.5"]}),
    ("VLAN_INTERFACE", "Vlan101", {"proxy_arp": "enabled"}),
    ("VLAN_INTERFACE", "Vlan101|192.0.2.9/24", {"secondary": "true"}),
    ("VLAN_INTERFACE", "Vlan101|2001:db8::1/64", {}),
    ("VLAN_MEMBER", "Vlan3999|Ethernet0", {"tagging_mode": "tagged"}),
    ("VLAN_MEMBER", "Vlan101|Ethernet16", {"tagging_mode": "untagged"}),
    ("INTERFACE", "Ethernet128|2001:db8:1::1/64", {}),
    ("LOOPBACK_INTERFACE", "Loopback0|2001:db8::9/128", {}),
    ("BGP_NEIGHBOR", "192.0.2.7", {"asn": "65000", "name": "other"}),
    ("BGP_NEIGHBOR", "10.64.0.9", {"asn": "65000", "name": "host"}),
    ("BGP_NEIGHBOR", "Vrf-storage|10.254.0.9", {"asn": "65000"}),
    ("CRM", "Config", {"srv6_my_sid_entry_low_threshold": "70"}),
    ("SWITCH_HASH", "GLOBAL", {"lag_hash": ["SRC_IP"]}),
)
UNNAMED: tuple[Row, ...] = (
    ("PORT", "Ethernet16", {"lanes": "16,17,18,19,20,21,22,23", "mtu": "1500"}),
    ("PORT_QOS_MAP", "Ethernet16", {"dscp_to_tc_map": "THEIRS"}),
    ("DSCP_TO_TC_MAP", "THEIRS", {"1": "1"}),
    ("SCHEDULER", "theirs.2", {"type": "DWRR", "weight": "14"}),
    ("WRED_PROFILE", "THEIRS", {"ecn": "ecn_none"}),
    ("BUFFER_PG", "Ethernet16|3-4", {"profile": "pg_lossless_100000_300m_profile"}),
    ("BUFFER_PROFILE", "pg_lossless_100000_300m_profile", {"pool": "ingress_lossless_pool"}),
    ("CABLE_LENGTH", "AZURE", {"Ethernet16": "300m"}),
    ("VLAN", "Vlan3999", {"vlanid": "3999"}),
    ("VLAN_INTERFACE", "Vlan3999|198.51.100.1/24", {}),
    ("LOOPBACK_INTERFACE", "Loopback7|192.0.2.3/32", {}),
    ("ROUTE_MAP", "THEIRS|10", {"route_operation": "permit"}),
    ("NTP_SERVER", "192.0.2.77", {}),
    ("SYSLOG_SERVER", "192.0.2.78", {}),
    ("BREAKOUT_CFG", "Ethernet16", {"brkout_mode": "4x100G"}),
    ("SNMP_COMMUNITY", "SECRET", {"TYPE": "RO"}),
    ("ACL_TABLE", "EVERFLOW", {"type": "MIRROR"}),
)
#: A row may need those before it.
STALE: tuple[Row, ...] = (
    ("PORT", "Ethernet0", {"subport": "1", "mtu": "1500"}),
    ("PORT", "Ethernet4", {"lanes": "4,5,6,7", "speed": "100000"}),
    ("QUEUE", "Ethernet4|3", {"scheduler": "scheduler.1"}),
    ("QUEUE", "Ethernet0|5", {"scheduler": "theirs.2"}),
    ("PORT_QOS_MAP", "Ethernet0", {"tc_to_dscp_map": "AZURE"}),
    ("INTERFACE", "Ethernet0", {}),
    ("INTERFACE", "Ethernet0|10.9.9.9/31", {}),
    ("INTERFACE", "Ethernet128|10.9.9.11/31", {}),
    ("BGP_NEIGHBOR", "10.9.9.10", {"asn": "65999", "local_addr": "10.9.9.11"}),
    ("VLAN_MEMBER", "Vlan7|Ethernet0", {"tagging_mode": "untagged"}),
    ("VLAN_MEMBER", "Vlan7|Ethernet128", {"tagging_mode": "tagged"}),
    ("VLAN_INTERFACE", "Vlan101|10.64.0.9/24", {}),
    ("LOOPBACK_INTERFACE", "Loopback0|10.255.0.99/32", {}),
    ("DSCP_TO_TC_MAP", "AZURE_1", {"1": "1"}),
    ("SCHEDULER", "scheduler.cnp_1", {"type": "STRICT"}),
    ("WRED_PROFILE", "AZURE_LOSSY", {"ecn": "ecn_none"}),
    ("WRED_PROFILE", "AZURE_LOSSY_1", {"ecn": "ecn_none"}),
    ("BUFFER_POOL", "theirs_pool", {"type": "ingress"}),
    ("BUFFER_PROFILE", "pg_lossless_400000_9m_th-2_profile", {"pool": "ingress_lossless_pool"}),
    ("BGP_PEER_GROUP", "default|FABRIC", {"bfd": "true"}),
    ("BGP_GLOBALS", "default", {"local_asn": "65101"}),
    ("ROUTE_MAP", "PERMIT|20", {"route_operation": "permit"}),
    ("BREAKOUT_CFG", "Ethernet0", {"brkout_mode": "2x200G"}),
)


@cache
def text(inventory: str = SCOPED) -> str:
    return files(inventory)[0].text


@cache
def files(inventory: str = SCOPED) -> list[Artefact]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "fabric.yaml").write_text(inventory)
        return render_device(Designs(folder).devices[labs.LEAF])


def intended(inventory: str = SCOPED) -> dict:
    return json.loads(text(inventory))


def with_rows(config: dict, rows) -> dict:
    both = copy.deepcopy(config)
    for table, row, fields in rows:
        both.setdefault(table, {}).setdefault(row, {}).update(fields)
    return both


def target(running: dict, wanted: dict) -> dict:
    return compose(running, merged(running, wanted).config)


def test_rows_and_fields_of_others_stay_and_are_named() -> None:
    running = with_rows(intended(), NAMED + UNNAMED)
    result = merged(running, intended())
    assert compose(running, result.config) == running
    assert result.conflicts == ()
    names = {
        (table, row, name)
        for table, row, fields in NAMED
        for name in (fields if row in intended().get(table, {}) else [""])
    }
    assert {(*one, "")[:3] for one in result.others} == names
    assert all(fields or not name for _, _, fields in NAMED for name in fields)


def test_ours_are_as_the_inventory_has_them() -> None:
    theirs = NAMED + UNNAMED
    running = with_rows(intended(), theirs + STALE)
    assert target(running, intended()) == with_rows(intended(), theirs)


@each("count", range(1, len(STALE) + 1))
def test_each_row_of_ours_that_is_not_rendered_goes(count: int) -> None:
    assert target(with_rows(intended(), STALE[:count]), intended()) == intended()


CHANGES = {
    "ecn": ("kmin_bytes: 150000", "kmin_bytes: 180000"),
    "watchdog": ("lossless:\n", "lossless:\n  watchdog: {enabled: false}\n"),
    "bfd": ("rails: 1", "rails: 1\nbgp: {bfd: true}"),
    "unnumbered": ("rails: 1", "rails: 1\nbgp: {peering: unnumbered}"),
    "timers": ("rails: 1", "rails: 1\nbgp: {hold_s: 30, keepalive_s: 10}"),
    "cables": ("rails: 1", "rails: 1\ncables: {host_m: 40}"),
    "loopbacks": ("10.255.0.0/24", "10.255.9.0/24"),
    "uplinks": ("10.254.0.0/24", "10.253.0.0/24"),
    "vlans": ("hosts: 10.64.0.0/16}", "hosts: 10.64.0.0/16, vlan_first: 201}"),
    "buffers": ("scope: merge", "scope: merge, buffer_model: dynamic"),
    "pfc": ("lossless:\n", "lossless:\n  pfc: false\n"),
}
CHANGES["priority"] = (
    "lossless:\n",
    "lossless:\n  pfc_priority: 4\n  traffic_class: 4\n  queue: 4\n  priority_group: 4\n",
)
#: Objects that the inventory does not have any more stay (docs/changes.md).
OBJECTS = {"vlans": {"VLAN", "VLAN_INTERFACE"}}


@pytest.mark.parametrize("change", CHANGES)
def test_every_row_that_a_policy_changes_is_known_as_ours(change: str) -> None:
    old, new = CHANGES[change]
    assert old in SCOPED
    first, second = intended(), intended(SCOPED.replace(old, new))
    assert first != second
    for before, after in ((first, second), (second, first)):
        result = merged(before, after)
        both = compose(before, result.config)
        wanted = dict(after)
        for table in OBJECTS.get(change, ()):
            assert {*both.pop(table)} == {*before[table], *wanted.pop(table)}
        assert without_own(both) == without_own(wanted)
        assert result.others == []
        assert result.conflicts == ()


def without_own(config: dict) -> dict:
    """Return a configuration without the profiles that the switch makes."""
    profile = r"pg_lossless_\d+_\d+m_profile"
    rows = config["BUFFER_PROFILE"].items()
    kept = {name: row for name, row in rows if not re.fullmatch(profile, name)}
    return {**config, "BUFFER_PROFILE": kept}


WORD = st.from_regex(r"x[a-z0-9]{2,8}", fullmatch=True)
FIELDS = st.dictionaries(WORD, WORD, max_size=2)


@cache
def tables() -> list[str]:
    """Return the tables that may have rows of others."""
    own = {"DEVICE_METADATA", "BUFFER_POOL", "PORT"}
    return sorted({*intended(), "ACL_RULE", "PORTCHANNEL"} - own)


@st.composite
def theirs(draw: st.DrawFn) -> list[Row]:
    """Return rows with names of others in any table, and fields of others in rows of ours."""
    rows = [
        (draw(st.sampled_from(tables())), draw(WORD), draw(FIELDS))
        for _ in range(draw(st.integers(0, 6)))
    ]
    for _ in range(draw(st.integers(0, 4))):
        table = draw(st.sampled_from(sorted({*SHARED} & {*intended()})))
        rows.append((table, draw(st.sampled_from(sorted(intended()[table]))), draw(FIELDS)))
    return [row for row in rows if row[0] != "CABLE_LENGTH"]


@given(rows=theirs(), stale=st.integers(0, len(STALE)), data=st.data())
@examples(150)
def test_random_rows_of_others_stay_and_a_second_plan_is_empty(rows, stale, data) -> None:
    change = data.draw(st.sampled_from(sorted({*CHANGES} - {*OBJECTS})))
    inventory = SCOPED.replace(*CHANGES[change])
    before = with_rows(intended(inventory), [*rows, *STALE[:stale]])
    after = target(before, intended())
    assert without_own(after) == without_own(with_rows(intended(), rows))
    assert target(after, intended()) == after


@pytest.mark.parametrize(
    ("metadata", "text_of"),
    [({"bgp_asn": "65000"}, "bgp_asn 65000"), ({"frr_mgmt_framework_config": "true"}, "framework")],
)
def test_what_takes_the_sessions_of_others_away_is_a_conflict(metadata, text_of) -> None:
    session = ("BGP_NEIGHBOR", "192.0.2.7", {"asn": "65000"})
    running = with_rows(intended(), [("DEVICE_METADATA", "localhost", metadata)])
    assert merged(running, intended()).conflicts == ()
    (one,) = merged(with_rows(running, [session]), intended()).conflicts
    assert text_of in one


def test_the_mark_decides_what_is_planned() -> None:
    config = with_rows(intended(), NAMED[:1])
    runs = Running("leaf", "sonic", config, "", saved=True, files={})
    whole = [one for one in files() if not is_merged([one])]
    drafts = [
        adapters["sonic"].draft(runs, [one for one in some if one.kind != "sysctl"], driver=None)
        for some in (files(), whole)
    ]
    assert [bool(one.changes) for one in drafts] == [False, True]
    assert drafts[0].notes == ("stays as it runs: PORT|Ethernet0|dom_polling",)


@pytest.mark.parametrize("table", [name for name in SHARED if name != "CRM"])
def test_the_fields_of_a_table_are_those_that_its_templates_print(table: str) -> None:
    begin, end = re.escape(f'"{table}": {{'), re.escape("}")
    bodies = [
        body
        for path in TEMPLATES.glob("*.j2")
        for body in re.findall(rf"(?ms)^{begin}$(.*?)^{end}$", path.read_text())
    ]
    bodies += [(TEMPLATES / "port_front.j2").read_text()] if table == "PORT" else []
    fields = re.findall(r'"(\w+)": (?!\{$|\{"|\{\})', "".join(bodies))
    assert set(fields) == SHARED[table]
