"""Live settings of a NIC whatever reads them: mlnx_qos, dcb, or ip alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fabric.observe.parsers import UnreadableError
from fabric.systems.host.parsers import UNAVAILABLE, HostParser

PFC = {"pfc_cap": 8, "macsec_bypass": False, "delay": 30, "prio_pfc": [n == 3 for n in range(8)]}
ETS = {
    "willing": False,
    "ets_cap": 8,
    "cbs": False,
    "tc_bw": [50, 0, 0, 50, 0, 0, 0, 0],
    "tc_tsa": [*["ets"] * 6, "strict", "ets"],
    "prio_tc": list(range(8)),
}
TEXTS = {
    "addresses": json.dumps([
        {
            "ifname": "eth1",
            "mtu": 9000,
            "addr_info": [{"family": "inet", "local": "10.64.0.2", "prefixlen": 24}],
        }
    ]),
    "rules": json.dumps([{"priority": 100, "src": "10.64.0.2", "table": "100"}]),
    "rdma": "mlx5_1 port 1 ==> eth1 (Up)\n",
}
BY_DCB = {
    "dcb_pfc:eth1": json.dumps(PFC),
    "dcb_ets:eth1": json.dumps(ETS),
    "dcb_app:eth1": '{"dscp_prio": [[48, 6], [26, 3]]}',
    "dcb_dcbx:eth1": '{"host": true, "ieee": true}',
}
CC_PARAMS = "/sys/kernel/debug/mlx5/0000:10:00.0/cc_params"
COMMON = {
    "rdma_device": "mlx5_1",
    "mtu_bytes": 9000,
    "addresses": ["10.64.0.2/24"],
    "table": "100",
    "traffic_class_dscp": UNAVAILABLE,
    "cnp_dscp": UNAVAILABLE,
}
LIVE = {
    "reader": "dcb",
    "dcbx": "os",
    "trust": "dscp",
    "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
    "dscp_to_priority": {"26": 3, "48": 6},
    "priority_to_traffic_class": list(range(8)),
    "tsa": {str(n): "strict" if n == 6 else "ets" for n in range(8)},
    "bandwidth_percent": {str(n): 50 if n in {0, 3} else 0 for n in range(8)},
    "cable_m": 30,
}


def nic(texts):
    return HostParser().running("gpu1", {**TEXTS, **texts}).config["nics"]["eth1"]


def test_dcb_is_read_in_the_words_of_mlnx_qos():
    assert nic(BY_DCB) == {**LIVE, **COMMON}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("dcb_app:eth1", "{}", {"trust": "pcp", "dscp_to_priority": {}}),
        ("dcb_dcbx:eth1", '{"ieee": true}', {"dcbx": "fw"}),
        ("dcb_pfc:eth1", json.dumps({**PFC, "prio_pfc": [False] * 8}), {"pfc": [0] * 8}),
    ],
)
def test_states_of_dcb(name, text, expected):
    found = nic({**BY_DCB, name: text})
    assert {key: found[key] for key in expected} == expected


@pytest.mark.parametrize("name", [*BY_DCB, *TEXTS])
def test_what_is_not_the_whole_answer_is_refused(name):
    whole = {**BY_DCB, **TEXTS}[name]
    for text in ("Cannot find device", f"{whole[:9]}\x1b[K{whole[9:]}", whole[:-9]):
        with pytest.raises(UnreadableError):
            nic({**BY_DCB, name: text})


SAMPLES = Path(__file__).parents[2] / "observe" / "samples"
QOS = (SAMPLES / "mlnx_qos.txt").read_text(encoding="utf-8")


def test_a_garbled_mlnx_qos_is_no_absent_setting():
    """A pager or a terminal in it, a line of another program, or no end: nothing is known."""
    lines = QOS.splitlines(keepends=True)
    assert nic({"qos:eth1": QOS})["trust"] == "dscp"
    for number in range(len(lines)):
        for strange in ("--More--\n", "\x1b[7m\n", "Broadcast message from root\n"):
            text = "".join([*lines[:number], strange, *lines[number:]])
            with pytest.raises(UnreadableError, match="eth1: "):
                nic({"qos:eth1": text})


def test_values_that_are_none_are_refused():
    for name, text in (("cnp:eth1", "4x\n"), ("tc:mlx5_1", "tclass?\n"), ("sysctl:a", "a b\n")):
        with pytest.raises(UnreadableError):
            nic({"qos:eth1": QOS, name: text})


def test_a_nic_without_a_tool_has_its_addresses():
    assert nic({"ip:eth1": ""}) == {"reader": "ip", **COMMON}


@pytest.mark.parametrize("name", ["ecn:eth1", "cc:eth1"])
def test_parameters_of_dcqcn(name):
    at = "/sys/class/net/eth1/ecn/roce_rp"
    text = f"{at}/rpg_gd:11\n{CC_PARAMS}/rp_time_reset:300\n{at}/enable/3:1\n"
    found = nic({**BY_DCB, name: text})
    assert found["dcqcn"] == {"roce_rp/rpg_gd": 11, "rp_time_reset": 300}
    assert "dcqcn" not in nic({**BY_DCB, name: ""})
    for strange in (f"{at}/odd;name:1\n", f"{at}/x:words\n", "--More--\n"):
        with pytest.raises(UnreadableError):
            nic({**BY_DCB, name: text + strange})
