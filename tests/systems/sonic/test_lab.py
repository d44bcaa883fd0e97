"""The SONiC stand-in: configuration, GCU refusals, timers, daemons and layouts."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

import pytest

from fabric.lab.clock import LabClock
from fabric.lab.faults import Fault
from fabric.lab.lab import Lab
from fabric.systems.sonic.lab import SonicStandIn
from fabric.systems.sonic.lab.check import ConfigRefusedError, check_config
from fabric.systems.sonic.parsers import state as sonic_state
from tests.lab.conftest import execute, leaf_config, leaf_spec
from tests.reference import reference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WRED = "/WRED_PROFILE/AZURE_LOSSLESS/"
SELF_MADE = "/BUFFER_PROFILE/pg_lossless_400000_5m_profile/"


@pytest.fixture
def leaf() -> Iterator[SonicStandIn]:
    """Return a switch without its SSH server; commands run as root."""
    device = SonicStandIn(leaf_spec(), LabClock())
    yield device
    device.fs.close()


def put(leaf: SonicStandIn, data: Any) -> None:
    leaf.fs.put("/tmp/f.json", json.dumps(data))


def patch(leaf: SonicStandIn, *operations: dict[str, Any]) -> tuple[int, str]:
    put(leaf, list(operations))
    return leaf.run_detached("config apply-patch /tmp/f.json")


def change(path: str, value: Any, op: str = "replace") -> dict[str, Any]:
    return {"op": op, "path": path, "value": value}


# -- the model -----------------------------------------------------------------------------------

REJECTED = [
    ("QUEUE", "Ethernet0|3", "wred_profile", "NOPE", "Invalid leafref value"),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3,9", "Unsatisfied pattern"),
    ("PORT_QOS_MAP", "Ethernet0", "pfc_enable", "3, 4", "Unsatisfied pattern"),
    ("PFC_WD", "Ethernet0", "detection_time", "50", "out of the allowed range"),
    ("PFC_WD", "GLOBAL", "POLL_INTERVAL", "600", "greater than or equal to POLL_INTERVAL"),
    ("WRED_PROFILE", "AZURE_LOSSLESS", "green_max_threshold", "1", "must be greater than"),
    ("WRED_PROFILE", "AZURE_LOSSLESS", "green_drop_probability", "101", "allowed range"),
    ("DSCP_TO_TC_MAP", "AZURE", "64", "0", "allowed range"),
    ("CABLE_LENGTH", "AZURE", "Ethernet0", "40", "Unsatisfied pattern"),
    ("VLAN", "Vlan101", "vlanid", "102", "must correspond to the VLAN name"),
    ("VLAN_MEMBER", "Vlan101|Ethernet0", "tagging_mode", "untagged", "router interface"),
    ("PORT", "Ethernet0", "mtu", "9300", "allowed range"),
    ("PORT", "Ethernet0", "pfc", "on", "All Keys are not parsed"),
    ("DEVICE_METADATA", "localhost", "type", "Leaf", "Invalid enumeration"),
    ("BGP_NEIGHBOR", "10.1.1.0", "asn", "0", "allowed range"),
    ("NO_SUCH_TABLE", "x", "y", "z", "no YANG model"),
]


@pytest.mark.parametrize(("table", "key", "field", "value", "message"), REJECTED)
def test_model_rejects(table: str, key: str, field: str, value: str, message: str) -> None:
    config = leaf_config()
    check_config(config)
    config.setdefault(table, {}).setdefault(key, {})[field] = value
    with pytest.raises(ConfigRefusedError, match=message):
        check_config(config)


def _reference(name: str) -> Any:
    return reference(name).read_text()


def test_model_agrees_with_yanglint() -> None:
    folder = "schemas/sonic-yang/examples"
    base = json.loads(_reference(f"{folder}/leaf01.config_db.json"))
    for case in json.loads(_reference(f"{folder}/cases.json"))["cases"]:
        config = copy.deepcopy(base)
        for table, key, field, value in case["set"]:
            row = config.setdefault(table, {}).setdefault(key, {})
            if field is not None:
                row[field] = value
            if value is None and field is not None:
                del row[field]
        try:
            check_config(config)
            verdict = "accept"
        except ConfigRefusedError:
            verdict = "reject"
        assert case["202405"].startswith(verdict), case["case"]


# -- generic config updater ----------------------------------------------------------------------


def test_patch_changes_a_threshold_live(leaf: SonicStandIn) -> None:
    answer = patch(leaf, change(WRED + "green_min_threshold", "200000"))
    assert answer == (0, "Patch applied successfully.\n")
    assert leaf.table("WRED_PROFILE")["AZURE_LOSSLESS"]["green_min_threshold"] == "200000"


REFUSED = [
    (change(WRED + "red_min_threshold", "200000"), "Modification of WRED_PROFILE table is illegal"),
    (change("/BUFFER_PROFILE/ingress_lossless_profile/dynamic_th", "2"), "Modification of BUFFER"),
    (change("/BUFFER_POOL/other", {"type": "egress"}, "add"), "Modification of BUFFER_POOL"),
    ({"op": "remove", "path": "/PFC_WD/GLOBAL"}, "is illegal on field: /PFC_WD/GLOBAL"),
    ({"op": "remove", "path": "/PFC_WD/GLOBAL"}, "is illegal on field: /PFC_WD/GLOBAL"),
    ({"op": "remove", "path": "/NTP_SERVER/192.0.2.10"}, "empty tables"),
    (change("/PORT/Ethernet0/lanes", "90,91"), "There is no possible sorting"),
    (change("/PORT/Ethernet0/mtu", "99999"), "out of the allowed range"),
    (change("/INTERFACE/Ethernet24|10.9.9.1~131", {}, "add"), "Invalid leafref value"),
    (change("/NOPE/x/y", "z"), "Failed to apply patch due to"),
    (change("", {}, "replace"), "Wrong patch with empty path"),
]


@pytest.mark.parametrize(("operation", "message"), REFUSED)
def test_gcu_refuses(leaf: SonicStandIn, operation: dict[str, Any], message: str) -> None:
    before = copy.deepcopy(leaf.running)
    code, text = patch(leaf, operation)
    assert code == 2
    assert message in text
    assert leaf.running == before


@pytest.mark.parametrize(
    "operation",
    [
        change(SELF_MADE + "dynamic_th", "1"),
        {"op": "remove", "path": "/PFC_WD/Ethernet0"},
        change("/PFC_WD/Ethernet0/action", "alert"),
        change("/INTERFACE/Ethernet8|10.9.9.1~131", {}, "add"),
    ],
)
def test_gcu_accepts(leaf: SonicStandIn, operation: dict[str, Any]) -> None:
    assert patch(leaf, operation) == (0, "Patch applied successfully.\n")


def test_sku_that_is_not_listed_refuses_every_rdma_patch() -> None:
    spec = leaf_spec()
    spec.running["DEVICE_METADATA"]["localhost"]["hwsku"] = "DellEMC-Z9332f-O32"
    leaf = SonicStandIn(spec, LabClock())
    assert "illegal" in patch(leaf, change(WRED + "green_min_threshold", "1"))[1]
    leaf.fs.close()


def test_first_watchdog_row_needs_another_way(leaf: SonicStandIn) -> None:
    del leaf.running["PFC_WD"]
    rows = {"GLOBAL": {"POLL_INTERVAL": "200"}}
    assert patch(leaf, change("/PFC_WD", rows, "add"))[0] == 2
    assert leaf.run_detached("pfcwd start --action drop Ethernet0 400")[0] == 0
    assert leaf.table("PFC_WD")["Ethernet0"]["restoration_time"] == "800"


def test_qos_change_flaps_the_port(leaf: SonicStandIn) -> None:
    assert patch(leaf, change("/PORT_QOS_MAP/Ethernet0/pfc_enable", "3,4"))[0] == 2  # PG 3-4 made
    assert leaf.port_flaps == {"Ethernet0": 1}
    assert leaf.bgp_state("10.1.1.0") == "Active"
    leaf.clock.advance(2)
    assert leaf.bgp_state("10.1.1.0") == "Established"


def test_half_applied_patch_stays_half_applied(leaf: SonicStandIn) -> None:
    leaf.faults.add(Fault("accept_part", pattern="apply-patch", count=1))
    answer = patch(
        leaf, change("/PORT/Ethernet0/mtu", "9000"), change("/PORT/Ethernet8/mtu", "9000")
    )
    assert answer[0] == 2
    assert "still some parts not updated" in answer[1]
    assert sorted(row["mtu"] for row in leaf.table("PORT").values()) == ["9000", "9100", "9100"]


def test_live_peer_takes_admin_status_only(leaf: SonicStandIn) -> None:
    put(leaf, {"BGP_NEIGHBOR": {"10.1.1.0": {"asn": "65299"}}})
    leaf.run_detached("config load /tmp/f.json -y")
    assert leaf.table("BGP_NEIGHBOR")["10.1.1.0"]["asn"] == "65299"
    assert leaf.bgp_peers["10.1.1.0"]["asn"] == "65200"
    assert patch(leaf, change("/BGP_NEIGHBOR/10.1.1.0/asn", "65300"))[0] == 0
    assert leaf.bgp_peers["10.1.1.0"]["asn"] == "65300"


# -- load, reload, save --------------------------------------------------------------------------


def test_load_merges_and_a_missing_file_is_no_error(leaf: SonicStandIn) -> None:
    put(leaf, {"NTP_SERVER": {"192.0.2.11": {}}})
    assert leaf.run_detached("config load /tmp/f.json -y")[0] == 0
    assert set(leaf.table("NTP_SERVER")) == {"192.0.2.10", "192.0.2.11"}
    code, text = leaf.run_detached("config load /tmp/none.json -y")
    assert (code, text) == (0, "The config_db file /tmp/none.json doesn't exist\n")


def test_reload_flushes_and_takes_bgp_down(leaf: SonicStandIn) -> None:
    config = leaf_config()
    del config["NTP_SERVER"]
    put(leaf, config)
    assert leaf.run_detached("config reload /tmp/f.json -y -f")[0] == 0
    assert leaf.table("NTP_SERVER") == {}
    assert leaf.bgp_state("10.1.1.0") == "Active"
    leaf.clock.advance(2)
    assert leaf.bgp_state("10.1.1.0") == "Established"


def test_reload_without_identity(leaf: SonicStandIn) -> None:
    put(leaf, {"DEVICE_METADATA": {"localhost": {"hwsku": "ACS-MSN4700"}}})
    assert leaf.run_detached("config reload /tmp/f.json -y -f")[0] == 0
    assert "Ethernet248" in leaf.table("PORT")
    put(leaf, {"DEVICE_METADATA": {"localhost": {"hostname": "x"}}})
    code, text = leaf.run_detached("config reload /tmp/f.json -y -f")
    assert code == 1
    assert "Could not get the HWSKU" in text
    assert leaf.running == {}


@pytest.mark.parametrize(("release", "code"), [("202405", 0), ("202505", 1)])
def test_reload_is_checked_by_newer_releases(release: str, code: int) -> None:
    leaf = SonicStandIn(leaf_spec(release=release), LabClock())
    config = leaf_config()
    config["PORT"]["Ethernet0"]["mtu"] = "99999"
    put(leaf, config)
    assert leaf.run_detached("config reload /tmp/f.json -y -f")[0] == code
    leaf.fs.close()


def test_only_save_survives_a_restart(leaf: SonicStandIn) -> None:
    leaf.hand_edit("PORT", "Ethernet0", "mtu", "9000")
    leaf.on_reboot()
    assert leaf.table("PORT")["Ethernet0"]["mtu"] == "9100"
    leaf.hand_edit("PORT", "Ethernet0", "mtu", "9000")
    assert leaf.run_detached("config save -y")[0] == 0
    leaf.on_reboot()
    assert leaf.table("PORT")["Ethernet0"]["mtu"] == "9000"


def test_changes_need_root(lab: Lab, connect: Callable[[Any], Any]) -> None:
    client = connect(lab["leaf01"])
    assert execute(client, "config save -y")[2] == 1
    assert execute(client, "sudo -n config save -y")[2] == 0


def test_commit_timer_rolls_back_when_the_clock_runs_out(
    lab: Lab, connect: Callable[[Any], Any]
) -> None:
    client, leaf = connect(lab["leaf01"]), lab["leaf01"]
    assert (
        execute(client, "sudo config checkpoint before")[0] == "Checkpoint created successfully.\n"
    )
    timer = (
        "sudo systemd-run --unit=rocefab-undo --on-active=60 --collect "
        "--timer-property=AccuracySec=1s /bin/sh -c 'config rollback before'"
    )
    for _ in range(2):
        assert execute(client, timer)[2] == 0
        assert execute(client, "systemctl is-active rocefab-undo.timer")[::2] == ("active\n", 0)
        execute(client, "sudo ecnconfig -p AZURE_LOSSLESS -gmin 1000 -gmax 2000 -gdrop 5")
        assert leaf.table("WRED_PROFILE")["AZURE_LOSSLESS"]["green_max_threshold"] == "2000"
        lab.clock.advance(61)
        assert leaf.table("WRED_PROFILE")["AZURE_LOSSLESS"]["green_max_threshold"] == "1500000"
        assert execute(client, "systemctl is-active rocefab-undo.timer")[::2] == ("inactive\n", 3)
    execute(client, timer)
    assert execute(client, "sudo systemctl stop rocefab-undo.timer")[2] == 0
    leaf.hand_edit("PORT", "Ethernet0", "mtu", "9000")
    lab.clock.advance(61)
    assert leaf.table("PORT")["Ethernet0"]["mtu"] == "9000"


# -- daemons and reading -------------------------------------------------------------------------


def test_buffermgrd_makes_rows_nobody_sent(leaf: SonicStandIn) -> None:
    assert leaf.table("BUFFER_PG")["Ethernet0|3"] == {"profile": "pg_lossless_400000_5m_profile"}
    assert leaf.table("BUFFER_PROFILE")["pg_lossless_400000_5m_profile"]["size"] == "86016"


def test_length_that_the_sku_lacks_gives_no_priority_group() -> None:
    spec = leaf_spec()
    spec.running["CABLE_LENGTH"]["AZURE"]["Ethernet0"] = "7m"
    leaf = SonicStandIn(spec, LabClock())
    assert "Ethernet0|3" not in leaf.table("BUFFER_PG")
    assert "No PG profile configured" in leaf.fs.read("/var/log/syslog")
    leaf.fs.close()


def test_wires(leaf: SonicStandIn) -> None:
    assert "spine01" in leaf.run_detached("show lldp table")[1]
    leaf.run_detached("config interface shutdown Ethernet0")
    assert "spine01" not in leaf.run_detached("show lldp table")[1]
    assert leaf.bgp_state("10.1.1.0") == "Active"
    leaf.peer_up = lambda session: session != "10.1.2.0"
    assert leaf.bgp_state("10.1.2.0") == "Active"
    leaf.hand_edit("LOOPBACK_INTERFACE", "Loopback0|10.0.0.11/32", None, None)
    assert leaf.bgp_state("10.1.2.0") is None


def test_counters(leaf: SonicStandIn) -> None:
    leaf.counters.add("Ethernet0", "SAI_PORT_STAT_PFC_3_RX_PKTS", 1200)
    assert "1,200" in leaf.run_detached("show pfc counters")[1]
    oid = leaf.run_detached("sonic-db-cli COUNTERS_DB HGET COUNTERS_PORT_NAME_MAP Ethernet0")[1]
    name = "SAI_PORT_STAT_PFC_3_RX_PKTS"
    read = leaf.run_detached(f"sonic-db-cli COUNTERS_DB HGET COUNTERS:{oid.strip()} {name}")
    assert read == (0, "1200\n")
    leaf.counters.storm("Ethernet0", 3)
    queue = leaf.run_detached("sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet0:3")
    state = leaf.run_detached(f"sonic-db-cli COUNTERS_DB HGETALL COUNTERS:{queue[1].strip()}")[1]
    assert "'PFC_WD_STATUS': 'stormed'" in state


def test_watermarks(leaf: SonicStandIn) -> None:
    """As the parsers read them."""
    room = "SAI_BUFFER_POOL_STAT_XOFF_ROOM_WATERMARK_BYTES"
    shared = "SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES"
    leaf.counters.add("pool ingress_lossless_pool", room, 7)
    leaf.counters.add("pool ingress_lossless_pool", "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES", 8)
    leaf.counters.add("Ethernet0:pg 3", shared, 9)
    pools = sonic_state.pool_watermarks(leaf.run_detached("show buffer_pool watermark")[1])
    assert pools["ingress_lossless_pool"].watermark_bytes == 8
    text = leaf.run_detached("show headroom-pool watermark")[1]
    [pool] = sonic_state.headroom_pool_watermarks(text).values()
    assert pool.headroom_watermark_bytes == 7
    text = leaf.run_detached("show priority-group watermark shared")[1]
    groups = sonic_state.group_shared_watermarks(text)
    assert groups["Ethernet0", 3].shared_watermark_bytes == 9
    assert groups["Ethernet0", 4].shared_watermark_bytes == 0


@pytest.mark.parametrize(
    ("command", "fixture", "line"),
    [
        ("show pfc counters", "show_pfc_counters.txt", 0),
        ("show ip bgp summary", "show_ip_bgp_summary_none.txt", 8),
        ("show lldp table", "show_lldp_table.txt", 1),
        ("pfcwd show config", "pfcwd_show_config.txt", 1),
        ("show interfaces status", "show_interfaces_status.txt", 0),
        ("show vlan brief", "show_vlan_brief.txt", 2),
        ("show pfc priority", "show_pfc_priority.txt", 1),
        ("show priority-group drop counters", "show_pg_drop_counters.txt", 1),
        ("show priority-group watermark shared", "show_pg_watermark_shared.txt", 0),
        ("show buffer_pool watermark", "show_buffer_pool_watermark.txt", 0),
        ("show headroom-pool watermark", "show_headroom_pool_watermark.txt", 0),
        ("show headroom-pool watermark", "show_headroom_pool_watermark.txt", 1),
        ("show arp", "show_arp.txt", 0),
    ],
)
def test_headers_are_those_of_sonic(
    leaf: SonicStandIn, command: str, fixture: str, line: int
) -> None:
    wanted = _reference(f"fixtures/sonic/{fixture}").splitlines()[line].split()
    assert leaf.run_detached(command)[1].splitlines()[line].split() == wanted


def test_unknown_commands_are_refused(leaf: SonicStandIn) -> None:
    assert leaf.run_detached("config nope")[0] == 2
    assert leaf.run_detached("show nope")[0] == 2
    assert leaf.run_detached("config qos reload")[0] == 1


@pytest.mark.parametrize(
    ("release", "code"), [("202405", 0), ("202505", 0), ("202511", 1), ("202605", 1), ("master", 1)]
)
def test_models_of_the_release(release: str, code: int) -> None:
    """A slow poll of the watchdog is taken by the models up to 202505 alone."""
    leaf = SonicStandIn(leaf_spec(release=release), LabClock())
    for name in ("detection_time", "restoration_time"):
        for port in leaf.table("PFC_WD"):
            if port != "GLOBAL":
                leaf.hand_edit("PFC_WD", port, name, "2000")
    leaf.hand_edit("PFC_WD", "GLOBAL", "POLL_INTERVAL", "1001")
    done, out = leaf.run_detached("config checkpoint slow")
    assert (done != 0) is bool(code), out
    leaf.fs.close()


# -- computed buffers ----------------------------------------------------------------------------


def computing(leaf: SonicStandIn, *missing: str) -> SonicStandIn:
    leaf.hand_edit("DEVICE_METADATA", "localhost", "buffer_model", "dynamic")
    leaf.hand_edit("BUFFER_PG", "Ethernet0|3", "profile", "NULL")
    rows = {
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"default_dynamic_th": "0"},
        "LOSSLESS_TRAFFIC_PATTERN": {"mtu": "9022", "small_packet_percentage": "100"},
    }
    for table, row in rows.items():
        if table not in missing:
            leaf.hand_edit(table, "AZURE", None, row)
    return leaf


def test_computed_buffers_change_no_row(leaf: SonicStandIn) -> None:
    """They stand in APPL_DB; a longer cable than any table knows is fine."""
    computing(leaf)
    leaf.hand_edit("CABLE_LENGTH", "AZURE", "Ethernet0", "33m")
    before = copy.deepcopy(leaf.running)
    leaf.after_change()
    assert leaf.running == before
    assert leaf.computed_groups == {"Ethernet0|3"}


@pytest.mark.parametrize(
    "table", ["DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN", "CABLE_LENGTH"]
)
def test_computed_buffers_wait_for_their_parameters(leaf: SonicStandIn, table: str) -> None:
    computing(leaf)
    leaf.running.pop(table)
    leaf.after_change()
    assert leaf.computed_groups == set()


def test_computed_buffers_need_nvidia() -> None:
    leaf = SonicStandIn(leaf_spec(platform="x86_64-dellemc_z9332f_d1508-r0"), LabClock())
    assert computing(leaf).computed_groups == set()
    assert "nothing computes buffers" in leaf.fs.read("/var/log/syslog")
    leaf.fs.close()


@pytest.mark.parametrize(
    ("table", "field", "value"),
    [
        ("LOSSLESS_TRAFFIC_PATTERN", "mtu", "9217"),
        ("LOSSLESS_TRAFFIC_PATTERN", "small_packet_percentage", "101"),
        ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "default_dynamic_th", "8"),
        ("DEFAULT_LOSSLESS_BUFFER_PARAMETER", "max_headroom_size", "0"),
    ],
)
def test_parameters_of_computed_buffers_are_checked(
    leaf: SonicStandIn, table: str, field: str, value: str
) -> None:
    computing(leaf)
    check_config(leaf.running)
    leaf.hand_edit(table, "AZURE", field, value)
    with pytest.raises(ConfigRefusedError):
        check_config(leaf.running)
