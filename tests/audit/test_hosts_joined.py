"""Hosts whose addresses are not on the NIC itself: bonds, VLAN interfaces, virtual functions."""

from __future__ import annotations

import json
from pathlib import Path

from fabric.observe.hostfacts.ip import parse_ip_addr
from tests.audit.host_outputs import dcb_outputs, outputs
from tests.audit.test_hosts import judged
from tests.cases import each

_HEAD = """\
DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV
---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---
"""
_LOCAL = "fe80:0000:0000:0000:0e42:a1ff:fe00:0001"
_FIRST, _SECOND = ("0a40:010b", "10.64.1.11"), ("0a40:020b", "10.64.2.11")
_ZEROCONF = ("a9fe:0105", "169.254.1.5")


def gids(*rows: tuple[str, str, tuple[str, str] | None]) -> str:
    """Return ``show_gids``: device, interface and IPv4 address of each GID, as v1 and v2."""
    lines, index = [], {}
    for device, interface, address in rows:
        for version in ("v1", "v2"):
            number = index[device] = index.get(device, -1) + 1
            gid = f"0000:0000:0000:0000:0000:ffff:{address[0]}" if address else _LOCAL
            words = (device, "1", str(number), gid, address[1] if address else "", version)
            lines.append("\t".join((*words, interface)))
    return _HEAD + "\n".join(lines) + f"\nn_gids_found={len(lines)}\n"


def links(*rows: dict[str, object]) -> str:
    """Return ``ip -j addr show`` of some devices."""
    usual = {"mtu": 9000, "operstate": "UP"}
    return json.dumps([{**usual, **row, "addr_info": address(row)} for row in rows]) + "\n"


def address(row: dict[str, object]) -> list[dict[str, object]]:
    local = row.pop("ipv4", None)
    return [{"family": "inet", "local": local, "prefixlen": 24}] if local else []


def host(nics: tuple[str, ...], mark: str, **texts: str) -> dict[str, str]:
    """Return the files of a host: settings of its NICs, the mark of a device, and others."""
    settings = outputs()["mlnx_qos-eth1.txt"]
    return {
        **{f"mlnx_qos-{nic}.txt": settings for nic in nics},
        f"traffic_class-{mark}.txt": "Global tclass=106\n",
        **{f"{name}.txt": text for name, text in texts.items()},
    }


def bond() -> dict[str, str]:
    return host(
        ("eth1", "eth2"),
        "mlx5_bond_0",
        show_gids=gids(("mlx5_bond_0", "bond0", None), ("mlx5_bond_0", "bond0", _FIRST)),
        ibdev2netdev="mlx5_bond_0 port 1 ==> bond0 (Up)\n",
        ip_addr=links(
            {"ifname": "eth1", "master": "bond0"},
            {"ifname": "eth2", "master": "bond0"},
            {"ifname": "bond0", "ipv4": _FIRST[1]},
        ),
    )


def vlan() -> dict[str, str]:
    return host(
        ("eth1",),
        "mlx5_0",
        show_gids=gids(("mlx5_0", "eth1", None), ("mlx5_0", "eth1.101", _FIRST)),
        ibdev2netdev="mlx5_0 port 1 ==> eth1 (Up)\n",
        ip_addr=links(
            {"ifname": "eth1"}, {"ifname": "eth1.101", "link": "eth1", "ipv4": _FIRST[1]}
        ),
    )


def functions() -> dict[str, str]:
    return host(
        ("ens1f0np0",),
        "mlx5_2",
        show_gids=gids(("mlx5_0", "ens1f0np0", None), ("mlx5_2", "ens1f0v0", _FIRST)),
        ibdev2netdev="mlx5_0 port 1 ==> ens1f0np0 (Up)\nmlx5_2 port 1 ==> ens1f0v0 (Up)\n",
    )


def changed(texts: dict[str, str], file: str, old: str, new: str) -> dict[str, str]:
    assert old in texts[file]
    return {**texts, file: texts[file].replace(old, new)}


_PCP = outputs()["mlnx_qos-eth1.txt"]
_PCP = _PCP[: _PCP.index("Priority trust")] + (
    "Priority trust state: pcp\n" + _PCP[_PCP.index("Receive buffer") :]
)
_ULA = "fd00:0db8:0000:0001:0200:00ff:fe00:0001"
#: Written anew after public captures: the source, the files, and the rules that speak.
PUBLIC = {
    "two bonds, a subnet each": (
        "openucx/ucx issue 10420",
        host(
            ("eth1", "eth3"),
            "mlx5_bond_0",
            show_gids=gids(
                ("mlx5_bond_0", "bond0", None),
                ("mlx5_bond_0", "bond0", _FIRST),
                ("mlx5_bond_1", "bond1", None),
                ("mlx5_bond_1", "bond1", _SECOND),
            ),
        ),
        set(),
    ),
    "two link-local addresses before that of IPv4": (
        "IBM/SpectrumScale_NETWORK_READINESS pull request 4",
        host(
            ("ens1f0",),
            "mlx5_0",
            show_gids=gids(
                ("mlx5_0", "ens1f0", None), ("mlx5_0", "ens1f0", None), ("mlx5_0", "ens1f0", _FIRST)
            ),
        ),
        set(),
    ),
    "a VLAN interface beside the NIC, each with an address": (
        "tensorflow/tensorflow issue 22077",
        host(
            ("eth2",),
            "mlx4_0",
            show_gids=gids(
                ("mlx4_0", "eth2", None), ("mlx4_0", "eth2", _FIRST), ("mlx4_0", "eth2.10", _SECOND)
            ),
        ),
        set(),
    ),
    "RoCEv1 alone": (
        "tensorflow/tensorflow issue 22077",
        host(
            ("eth2",),
            "mlx4_0",
            show_gids=_HEAD + f"mlx4_0\t1\t0\t{_LOCAL}\t\tv1\teth2\nn_gids_found=1\n",
        ),
        {"AUD020"},
    ),
    "the host sees the GIDs of its pods": (
        "Mellanox/k8s-rdma-shared-dev-plugin issue 164",
        host(
            ("eth1",),
            "mlx5_0",
            show_gids=gids(
                *(("mlx5_0", "eth1", one) for one in (None, _FIRST)),
                ("mlx5_0", "", None),
                ("mlx5_0", "", _SECOND),
            ),
        ),
        set(),
    ),
    "a pod has the name of its own interface": (
        "NVIDIA/nccl issue 1573",
        {"show_gids.txt": gids(("mlx5_0", "net1", None), ("mlx5_0", "net1", _FIRST))},
        set(),
    ),
    "a pod without a GID": (
        "Mellanox/k8s-rdma-sriov-dev-plugin issues 30 and 33",
        {"show_gids.txt": f"{_HEAD}n_gids_found=0\n"},
        {"AUD020"},
    ),
    "virtual functions beside their NIC": (
        "openshift/openshift-docs pull request 96176",
        host(
            ("ens8f0np0",),
            "mlx5_4",
            show_gids=gids(
                ("mlx5_0", "ens8f0np0", None),
                ("mlx5_4", "ens8f0v0", _FIRST),
                ("mlx5_5", "ens8f0v1", _SECOND),
            ),
        ),
        set(),
    ),
    "IPv6 at index 3": (
        "openucx/ucx pull request 10939; uccl-project/uccl pull request 803",
        host(
            ("eth1",),
            "bnxt_re0",
            show_gids=_HEAD + f"bnxt_re0\t1\t1\t{_LOCAL}\t\tv2\teth1\n"
            f"bnxt_re0\t1\t3\t{_ULA}\t\tv2\teth1\nn_gids_found=2\n",
        ),
        {"AUD030"},
    ),
}
#: By name: the files, and the rules that speak.
CASES = {
    "a bond has the GIDs": (bond(), set()),
    "a bond, without ip": ({k: v for k, v in bond().items() if k != "ip_addr.txt"}, set()),
    "a bond whose device has the name of a member": (
        changed(bond(), "ibdev2netdev.txt", "==> bond0", "==> eth1"),
        set(),
    ),
    "a bond without an address": (
        {**bond(), "show_gids.txt": gids(("mlx5_bond_0", "bond0", None))},
        {"AUD020"},
    ),
    "a bond sends another DSCP": (
        changed(bond(), "traffic_class-mlx5_bond_0.txt", "106", "96"),
        {"AUD017", "AUD028"},
    ),
    "a bond without RoCE LAG: two devices with one address": (
        {
            **bond(),
            "show_gids.txt": gids(("mlx5_0", "bond0", _FIRST), ("mlx5_1", "bond0", _FIRST)),
            "ibdev2netdev.txt": "mlx5_0 port 1 ==> eth1 (Up)\nmlx5_1 port 1 ==> eth2 (Up)\n",
        },
        set(),
    ),
    "a VLAN interface has the GIDs": (vlan(), set()),
    "two VLANs of one NIC": (
        {
            **vlan(),
            "show_gids.txt": gids(
                ("mlx5_0", "eth1", None),
                ("mlx5_0", "eth1.101", _FIRST),
                ("mlx5_0", "storage", _SECOND),
            ),
        },
        set(),
    ),
    "a VLAN interface sends another DSCP": (
        changed(vlan(), "traffic_class-mlx5_0.txt", "106", "96"),
        {"AUD017", "AUD028"},
    ),
    "a VLAN interface with a small MTU": (
        changed(
            vlan(),
            "ip_addr.txt",
            '"mtu": 9000, "operstate": "UP", "ifname": "eth1.101"',
            '"mtu": 1500, "operstate": "UP", "ifname": "eth1.101"',
        ),
        {"AUD009"},
    ),
    "tagged frames, and trust in their priority": ({**vlan(), "mlnx_qos-eth1.txt": _PCP}, set()),
    "untagged frames, and trust in priorities": (
        {
            **{k: v for k, v in vlan().items() if k not in {"ip_addr.txt", "show_gids.txt"}},
            "show_gids.txt": gids(("mlx5_0", "eth1", _FIRST)),
            "mlnx_qos-eth1.txt": _PCP,
        },
        {"AUD007"},
    ),
    "a virtual function has the GIDs": (functions(), set()),
    "a virtual function sends another DSCP": (
        changed(functions(), "traffic_class-mlx5_2.txt", "106", "96"),
        {"AUD017", "AUD028"},
    ),
    "virtual functions in other namespaces": (
        host(
            ("ens1f0np0",),
            "mlx5_0",
            show_gids=gids(("mlx5_0", "ens1f0np0", None)),
            ip_addr=links({"ifname": "ens1f0np0", "vfinfo_list": [{"vf": 0}, {"vf": 1}]}),
        ),
        set(),
    ),
    "pods have GIDs in the table of the host": (
        host(
            ("eth1",),
            "mlx5_0",
            show_gids=gids(
                ("mlx5_0", "eth1", None),
                ("mlx5_0", "eth1", _FIRST),
                ("mlx5_0", "", _SECOND),
                ("mlx5_0", "", ("0a40:020c", "10.64.2.12")),
            ),
        ),
        set(),
    ),
    "an address of IPv4 that no switch routes": (
        host(("eth1",), "mlx5_0", show_gids=gids(("mlx5_0", "eth1", _ZEROCONF))),
        {"AUD020"},
    ),
    "two addresses on one interface": (
        host(
            ("eth1",),
            "mlx5_0",
            show_gids=gids(("mlx5_0", "eth1", _FIRST), ("mlx5_0", "eth1", _SECOND)),
        ),
        {"AUD021"},
    ),
    "no RDMA device": (host(("eth1",), "mlx5_0", ibdev2netdev=""), set()),
    "an empty table of DSCPs": (
        {**dcb_outputs(), "dcb_app-eth1.json": "{}\n", "dcb_app-eth2.json": "{ }\n"},
        {"AUD007"},
    ),
    "a file without a word": ({**vlan(), "mlnx_qos-eth1.txt": "\n"}, {"AUD019"}),
}


@each("name", PUBLIC)
def test_public_captures(name: str, tmp_path: Path) -> None:
    source, texts, rules = PUBLIC[name]
    folder = tmp_path / str([*PUBLIC].index(name))
    folder.mkdir()
    every = judged(folder, texts, switch=False)
    assert {finding.rule for finding in every} == rules, (source, every)


@each("name", CASES)
def test_what_an_interface_above_a_nic_has(name: str, tmp_path: Path) -> None:
    texts, rules = CASES[name]
    folder = tmp_path / str([*CASES].index(name))
    folder.mkdir()
    every = judged(folder, texts, switch=False)
    assert {finding.rule for finding in every} == rules, every


def test_two_bonds_of_one_subnet_answer_for_each_other(tmp_path: Path) -> None:
    texts = host(
        ("eth1", "eth3"),
        "mlx5_bond_0",
        show_gids=gids(
            ("mlx5_bond_0", "bond0", _FIRST), ("mlx5_bond_1", "bond1", ("0a40:010c", "10.64.1.12"))
        ),
        ip_addr=links(
            {"ifname": "eth1", "master": "bond0"},
            {"ifname": "eth3", "master": "bond1"},
            {"ifname": "bond0", "ipv4": "10.64.1.11"},
            {"ifname": "bond1", "ipv4": "10.64.1.12"},
        ),
        sysctl="".join(f"net.ipv4.conf.{name}.arp_ignore = 0\n" for name in ("all", "bond0")),
    )
    every = judged(tmp_path, texts, switch=False)
    assert [(finding.rule, finding.port) for finding in every] == [("AUD022", "bond0")]


def test_what_ip_says_of_devices_on_top() -> None:
    (member, top) = parse_ip_addr(
        links({"ifname": "eth1", "master": "bond0"}, {"ifname": "eth1.5", "link": "eth1"})
    )
    assert (member.master, member.link, member.functions) == ("bond0", None, None)
    assert (top.master, top.link) == (None, "eth1")
