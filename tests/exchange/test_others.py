"""Wiring of Hedgehog, topologies of NVIDIA Air, and InfiniBand."""

from __future__ import annotations

from pathlib import Path

from fabric.exchange.plant import Cable, Device, Nic
from fabric.workflow.project import Project
from tests.cli.runs import run
from tests.exchange.plants import put, read

API = "apiVersion: wiring.githedgehog.com/v1beta1\n"
HEDGEHOG = f"""\
# a wiring diagram
apiVersion: wiring.githedgehog.com/v1beta1
kind: VLANNamespace
metadata: {{name: default}}
spec: {{ranges: [{{from: 1000, to: 2999}}]}}
---
{API}kind: Connection
metadata: {{name: spine-1--fabric--leaf-1}}
spec:
  fabric:
    links:
    - leaf: {{port: leaf-1/E1/8, ip: 172.30.128.3/31}}
      spine: {{port: spine-1/E1/1, ip: 172.30.128.2/31}}
---
{API}kind: Switch
metadata: {{name: leaf-1, annotations: {{link.hhfab.githedgehog.com/E1/1: x}}}}
spec:
  asn: 65101
  boot: {{mac: "0c:20:12:ff:00:00", serial: ABC}}
  ip: 172.30.0.9/21
  profile: celestica-ds4000
  protocolIP: 172.30.8.3/32
  role: server-leaf
  portSpeeds: {{"E1/1": 100G, "E1/2": fast}}
---
apiVersion: v1
kind: List
items:
- {{apiVersion: v1, kind: ConfigMap}}
---
{API}kind: Switch
metadata: {{name: spine-1}}
spec: {{role: spine}}
---
{API}kind: Switch
metadata: {{name: edge-1}}
spec: {{role: virtual-edge}}
---
{API}kind: Server
metadata: {{name: server-1}}
---
{API}kind: Connection
metadata: {{name: server-1--unbundled--leaf-1}}
spec: {{unbundled: {{link: {{server: {{port: server-1/enp2s1}}, switch: {{port: leaf-1/E1/1}}}}}}}}
---
{API}kind: Connection
metadata: {{name: server-1--bundled--leaf-1}}
spec:
  bundled:
    links:
    - {{server: {{port: server-1/enp2s2}}, switch: {{port: leaf-1/E1/2/1}}}}
---
{API}kind: Connection
metadata: {{name: leaf-1--loopback}}
spec:
  vpcLoopback:
    links:
    - {{switch1: {{port: leaf-1/E1/9}}, switch2: {{port: leaf-1/E1/10}}}}
"""


def test_wiring_of_hedgehog(tmp_path: Path) -> None:
    done = read("hedgehog", put(tmp_path, {"w.yaml": HEDGEHOG}))
    assert done.plant.devices == (
        Device(
            *("leaf-1", "switch", "leaf"),
            model="celestica-ds4000",
            system="sonic",
            asn=65101,
            loopback="172.30.8.3",
            management="172.30.0.9",
            serial="ABC",
            mac="0c:20:12:ff:00:00",
        ),
        Device("spine-1", "switch", "spine", system="sonic"),
        Device("edge-1", "switch", system="sonic"),
        Device("server-1", "host"),
    )
    assert done.plant.cables == (
        Cable.between(("leaf-1", "E1/8"), ("spine-1", "E1/1")),
        Cable.between(("leaf-1", "E1/1"), ("server-1", "enp2s1"), 100),
        Cable.between(("leaf-1", "E1/2/1"), ("server-1", "enp2s2")),
    )
    assert done.numbers == {
        ("leaf-1", "E1/8"): 8,
        ("spine-1", "E1/1"): 1,
        ("leaf-1", "E1/1"): 1,
    }
    assert [note.message for note in done.notes] == [
        "switches have an unknown role (1): edge-1 (virtual-edge)",
        "connections of kind vpcLoopback are ignored (1): leaf-1--loopback",
    ]


AIR = """\
{
    "title": "dc1",
    "content": {
        "oob": false,
        "nodes": {
            "leaf01": {"os": "cumulus-vx-5.10.1", "memory": 2048},
            "spine01": {"os": "sonic-vs-202305", "function": "spine"},
            "server01": {"os": "generic/ubuntu2404"},
            "bmc": {"os": "x", "function": "bmc"},
            "oob-mgmt-switch": {"os": "cumulus-vx-5.10.1"}
        },
        "links": [
            [{"node": "leaf01", "interface": "swp1"}, {"node": "server01", "interface": "eth1"}],
            [{"node": "leaf01", "interface": "swp31"}, {"node": "spine01", "interface": "eth2"}],
            [{"node": "leaf01", "interface": "eth0"},
             {"node": "oob-mgmt-switch", "interface": "swp2"}],
            [{"node": "server01", "interface": "eth2", "mac": "02:00:00:00:00:07"}, "exit"],
            [{"node": "leaf01", "interface": "swp9"}, {"node": "bmc", "interface": "eth0"}],
            [{"node": "leaf01", "interface": "swp10"}, {"node": "gone", "interface": "eth0"}],
            [{"node": "leaf01", "interface": "swp11"}, {"node": "leaf01", "interface": "swp12"}]
        ]
    }
}
"""
AIR_DOT = """\
graph "dc1" {
  "leaf01" [function="leaf" os="cumulus-vx-5.10.1" memory="2048"]
  "spine01" [function="spine" os="sonic-vs-202305"]
  "server01" [function="server" os="generic/ubuntu2404"]
  "internet" [function="fake"]
  "oob-mgmt-switch" [function="oob-switch"]
    "leaf01":"swp1" -- "server01":"eth1"
    "leaf01":"swp31" -- "spine01":"eth2"
    "leaf01":"eth0" -- "oob-mgmt-switch":"swp2"
    "leaf01":"swp5" -- "internet":"eth0"
    "leaf01":"swp6" -- "gone":"eth0"
}
"""


def test_topologies_of_air(tmp_path: Path) -> None:
    cables = (
        Cable.between(("leaf01", "swp1"), ("server01", "eth1")),
        Cable.between(("leaf01", "swp31"), ("spine01", "eth2")),
    )
    source = put(tmp_path, {"t.json": AIR})
    done = read("air", source, roles={"generic/ubuntu2404": "host"})
    assert done.plant.name == "dc1"
    assert done.plant.devices == (
        Device("leaf01", "switch", system="cumulus"),
        Device("spine01", "switch", "spine", system="sonic"),
        Device("server01", "host"),
    )
    assert done.plant.cables == cables
    assert done.numbers["spine01", "eth2"] == 2
    outside = "leaf01:eth0 to oob-mgmt-switch:swp2, server01:eth2 to exit, leaf01:swp9 to bmc:eth0"
    assert [note.message for note in done.notes] == [
        "nodes with another function are ignored (2): bmc (bmc), oob-mgmt-switch ()",
        f"links out of the simulation and to ignored nodes are ignored (3): {outside}",
        "links to undefined nodes are ignored (1): leaf01:swp10 to gone:eth0",
        "links from a node to itself are ignored (1): leaf01:swp11 to leaf01:swp12",
    ]
    drawn = read("air", put(tmp_path, {"t.dot": AIR_DOT}))
    assert drawn.plant.cables == cables
    assert [device.role or device.kind for device in drawn.plant.devices] == [
        *("leaf", "spine", "host"),
    ]
    outside = "leaf01:eth0 to oob-mgmt-switch:swp2, leaf01:swp5 to internet:eth0"
    assert [note.message for note in drawn.notes] == [
        (
            "nodes with another function are ignored (2): "
            "internet (fake), oob-mgmt-switch (oob-switch)"
        ),
        f"links out of the simulation and to ignored nodes are ignored (2): {outside}",
        "links to undefined nodes are ignored (1): leaf01:swp6 to gone:eth0",
    ]


def test_air_with_tabs(tmp_path: Path) -> None:
    done = read("air", put(tmp_path, {"t.json": AIR.replace("    ", "\t")}))
    assert len(done.plant.cables) == 2


#: Leaf and spine, two adapters of one host, an aggregation node, and two unnamed switches.
INFINIBAND = """\
#
# Topology file: generated on Mon Sep  1 10:00:00 2026
#
vendid=0x2c9
devid=0xd2f2
sysimgguid=0xb8cef60300e5d2a0
switchguid=0xb8cef60300e5d2a0(b8cef60300e5d2a0)
Switch\t41 "S-b8cef60300e5d2a0"\t\t# "MF0;leaf-1:MQM8790/U1" enhanced port 0 lid 1 lmc 0
[1]\t"H-0c42a10300a1b2c4"[1](c42a10300a1b2c4) \t\t# "node01 mlx5_0" lid 5 4xHDR
[2]\t"H-0c42a10300a1b2c5"[2](c42a10300a1b2c6) \t\t# "node01 mlx5_1" lid 6 4xEDR
[21]\t"S-b8cef60300e5d2b0"[1]\t\t# "Quantum Mellanox Technologies" lid 2 4xNDR
[41]\t"H-b8cef60300e5d2a8"[1](b8cef60300e5d2a8) \t\t# "Mellanox Technologies Aggregation Node" \
lid 3 4xHDR
[40]\t"H-ff"[1](ff) \t\t# "node09 mlx5_0" lid 9 4xHDR

switchguid=0xb8cef60300e5d2b0(b8cef60300e5d2b0)
Switch\t40 "S-b8cef60300e5d2b0"\t\t# "Quantum Mellanox Technologies" base port 0 lid 2 lmc 0
[1]\t"S-b8cef60300e5d2a0"[21]\t\t# "MF0;leaf-1:MQM8790/U1" lid 1 4xNDR

caguid=0xc42a10300a1b2c4
Ca\t1 "H-0c42a10300a1b2c4"\t\t# "node01 mlx5_0"
[1](c42a10300a1b2c4) \t"S-b8cef60300e5d2a0"[1]\t\t# lid 5 lmc 0 "MF0;leaf-1:MQM8790/U1" lid 1 4xHDR

caguid=0xc42a10300a1b2c5
Ca\t2 "H-0c42a10300a1b2c5"\t\t# "node01 mlx5_1"
[2](c42a10300a1b2c6) \t"S-b8cef60300e5d2a0"[2]\t\t# lid 6 lmc 0 "MF0;leaf-1:MQM8790/U1" lid 1 4xEDR

caguid=0xb8cef60300e5d2a8
Ca\t1 "H-b8cef60300e5d2a8"\t\t# "Mellanox Technologies Aggregation Node"
[1](b8cef60300e5d2a8) \t"S-b8cef60300e5d2a0"[41]\t\t# lid 3 lmc 0 \
"MF0;leaf-1:MQM8790/U1" lid 1 4xHDR
"""


def test_infiniband(tmp_path: Path) -> None:
    done = read("ibnetdiscover", put(tmp_path, {"ib.txt": INFINIBAND}))
    spine = "switch-b8cef60300e5d2b0"
    assert done.plant.devices == (
        Device("leaf-1", "switch"),
        Device(spine, "switch"),
        Device("node01", "host"),
    )
    assert done.plant.cables == (
        Cable.between(("leaf-1", "1"), ("node01", "mlx5_0"), 200),
        Cable.between(("leaf-1", "2"), ("node01", "mlx5_1-p2"), 100),
        Cable.between(("leaf-1", "21"), (spine, "1"), 400),
    )
    assert done.plant.nics == (
        Nic("node01", "mlx5_0", rdma_device="mlx5_0"),
        Nic("node01", "mlx5_1-p2", rdma_device="mlx5_1"),
    )
    assert done.numbers == {
        ("leaf-1", "1"): 1,
        ("leaf-1", "2"): 2,
        ("leaf-1", "21"): 21,
        (spine, "1"): 1,
    }
    missing = "S-b8cef60300e5d2a0[40] to H-ff[1]"
    unnamed = "S-b8cef60300e5d2b0"
    aggregation = "Mellanox Technologies Aggregation Node"
    assert [note.message for note in done.notes] == [
        f"switches have no unique name (1): {unnamed}",
        f"routers and aggregation nodes are ignored (1): {aggregation}",
        f"links to undefined nodes are ignored (1): {missing}",
    ]


NETQ = """\
nvidia@switch:~$ netq show lldp
Matching lldp records:
Hostname          Interface                 Peer Hostname     Peer Interface            Last Changed
----------------- ------------------------- ----------------- ------------------------- -------------------------
gpu01             eth0                      oob-switch        swp2                      Mon Dec  2 21:22:55 2024
gpu01             eth1                      leaf01            swp1                      Mon Dec  2 21:22:55 2024
leaf01            swp1                      gpu01             48:b0:2d:76:ee:8e         Mon Dec  2 21:22:55 2024
leaf01            swp2                      gpu02             48:b0:2d:76:ee:8f         Mon Dec  2 21:22:55 2024
leaf01            swp49                     spine01           swp1                      Mon Dec  2 21:22:55 2024
spine01           swp1                      leaf01            swp49                     Mon Dec  2 21:22:55 2024
spine01           swp2                      leaf02            swp49                     Mon Dec  2 21:22:55 2024
gpu03             eth1                      leaf02            swp1                      Mon Dec  2 21:22:55 2024
"""  # noqa: E501 - as NetQ prints it


def test_netq_has_a_row_for_each_end(tmp_path: Path) -> None:
    done = read("netq", put(tmp_path, {"n.txt": NETQ}))
    assert {(cable.near, cable.far) for cable in done.plant.cables} == {
        (("gpu01", "eth1"), ("leaf01", "swp1")),
        (("leaf01", "swp49"), ("spine01", "swp1")),
        (("leaf02", "swp49"), ("spine01", "swp2")),
        (("gpu03", "eth1"), ("leaf02", "swp1")),
    }
    kinds = {name: device.kind for name, device in done.plant.device.items()}
    hosts = {"gpu01": "", "gpu03": ""}
    assert kinds == dict.fromkeys(("leaf01", "leaf02", "spine01"), "switch") | hosts
    assert [note.message for note in done.notes] == [
        "management ports are ignored (1): gpu01 eth0",
        "cables end at a MAC address and are ignored (1): gpu02",
    ]
    words = ("--hosts", "gpu[01,03]", "--model", "leaf=SN5600", "--model", "spine=SN5600")
    out = tmp_path / "out"
    ended = run("import", "netq", tmp_path / "n.txt", *words, "--out", out)
    assert ended.code == 0, ended.said
    fabric = Project(out).fabric
    assert {*fabric.switch_row, *fabric.host_row} == {*kinds}
