"""What tools print on a host with two RoCE NICs, written in the form of real outputs."""

from __future__ import annotations

import json

NICS = {
    "eth1": ("mlx5_0", "10.64.0.11", "0a40:000b"),
    "eth2": ("mlx5_1", "10.64.0.12", "0a40:000c"),
}


def mlnx_qos() -> str:
    """Return what ``mlnx_qos -i IF`` prints for DSCP 26 in priority 3, and CNPs in 6."""
    rest = [dscp for dscp in range(64) if dscp not in {26, 48}]
    rows = [rest[start : start + 8] for start in range(0, len(rest), 8)]
    lines = [
        "DCBX mode: OS controlled",
        "Priority trust state: dscp",
        "dscp2prio mapping:",
        *("\tprio:0 dscp:" + "".join(f"{dscp:02}," for dscp in row) for row in rows),
        "\tprio:3 dscp:26,",
        "\tprio:6 dscp:48,",
        "Receive buffer size (bytes): 61440,196608,0,0,0,0,0,0,max_buffer_size=524160",
        "Cable len: 5",
        "PFC configuration:",
        "\tpriority    0   1   2   3   4   5   6   7",
        "\tenabled     0   0   0   1   0   0   0   0   ",
        "\tbuffer      0   0   0   1   0   0   0   0   ",
    ]
    for number in range(8):
        share = {0: "ets, bw: 50%", 3: "ets, bw: 50%", 6: "strict"}.get(number, "ets, bw: 0%")
        lines += [f"tc: {number} ratelimit: unlimited, tsa: {share}", f"\t priority:  {number}"]
    return "\n".join(lines) + "\n"


def show_gids() -> str:
    """Return the GID table: link-local and IPv4, each as v1 and v2."""
    zeros = "0000:0000:0000:0000:0000:ffff:"
    lines = [
        "DEV\tPORT\tINDEX\tGID\t\t\t\t\tIPv4  \t\tVER\tDEV",
        "---\t----\t-----\t---\t\t\t\t\t------------  \t---\t---",
    ]
    for number, (nic, (device, address, mapped)) in enumerate(NICS.items()):
        local = f"fe80:0000:0000:0000:0e42:a1ff:fe00:000{number}"
        lines += [
            f"{device}\t1\t0\t{local}\t\t\tv1\t{nic}",
            f"{device}\t1\t1\t{local}\t\t\tv2\t{nic}",
            f"{device}\t1\t2\t{zeros}{mapped}\t{address}  \tv1\t{nic}",
            f"{device}\t1\t3\t{zeros}{mapped}\t{address}  \tv2\t{nic}",
        ]
    return "\n".join([*lines, "n_gids_found=8"]) + "\n"


def sysctl() -> str:
    """Return some lines of ``sysctl -a``."""
    lines = ["kernel.hostname = gpu001", "net.core.rmem_max = 212992"]
    for name in ("all", "default", "eno1", *NICS):
        own = name in NICS
        for key, value in (("arp_announce", 2), ("arp_ignore", 1), ("rp_filter", 2)):
            lines.append(f"net.ipv4.conf.{name}.{key} = {value if own else 0}")
    for name in ("default", "eno1", *NICS):
        lines.append(f"net.ipv4.neigh.{name}.base_reachable_time_ms = 30000")
        lines.append(f"net.ipv4.neigh.{name}.gc_stale_time = 60")
    lines += [
        f"net.ipv4.neigh.default.gc_thresh{number} = {size}"
        for number, size in ((1, 4096), (2, 8192), (3, 16384))
    ]
    return "\n".join([*lines, "vm.swappiness = 60"]) + "\n"


def ip_addr() -> str:
    """Return what ``ip -j -p addr show`` prints."""
    rows = [
        {
            "ifindex": number,
            "ifname": name,
            "flags": ["BROADCAST", "MULTICAST", "UP", "LOWER_UP"],
            "mtu": mtu,
            "operstate": "UP",
            "addr_info": [{"family": "inet", "local": address, "prefixlen": 24, "scope": "global"}],
        }
        for number, (name, mtu, address) in enumerate(
            [
                ("eno1", 1500, "192.0.2.7"),
                *((nic, 9000, address) for nic, (_, address, _) in NICS.items()),
            ],
            2,
        )
    ]
    return json.dumps(rows, indent=4) + "\n"


def ethtool(nic: str) -> str:
    """Return what ``ethtool IF`` prints of a link with 400 Gbit/s."""
    return (
        f"Settings for {nic}:\n\tSupported ports: [ Backplane ]\n\tSpeed: 400000Mb/s\n"
        "\tDuplex: Full\n\tAuto-negotiation: on\n\tLink detected: yes\n"
    )


def outputs() -> dict[str, str]:
    """Return the files of the host by their names, with ``mlnx_qos``."""
    texts = {
        "show_gids.txt": show_gids(),
        "sysctl.txt": sysctl(),
        "ip_addr.json": ip_addr(),
        "ibdev2netdev.txt": "".join(
            f"{row[0]} port 1 ==> {nic} (Up)\n" for nic, row in NICS.items()
        ),
    }
    for nic, (device, _, _) in NICS.items():
        texts[f"mlnx_qos-{nic}.txt"] = mlnx_qos()
        texts[f"traffic_class-{device}.txt"] = "Global tclass=106\n"
        texts[f"ethtool-{nic}.txt"] = ethtool(nic)
        texts[f"ethtool_a-{nic}.txt"] = (
            f"Pause parameters for {nic}:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n\n"
        )
    return texts


def ipv6_outputs() -> dict[str, str]:
    """Return the files of the same host with IPv6 alone: a /127 for each NIC."""
    texts = outputs()
    gids = show_gids().splitlines()
    for number, (nic, (device, address, mapped)) in enumerate(NICS.items()):
        own = f"fd00:0064:0000:000{number}:0000:0000:0000:0021"
        gids = [
            line.replace(f"0000:0000:0000:0000:0000:ffff:{mapped}", own).replace(address, "")
            if line.startswith(device)
            else line
            for line in gids
        ]
        texts["ip_addr.json"] = (
            texts["ip_addr.json"]
            .replace(f'"{address}"', f'"fd00:64:0:{number}::21"')
            .replace(
                f'"inet",\n                "local": "fd00:64:0:{number}::21",\n'
                '                "prefixlen": 24',
                f'"inet6",\n                "local": "fd00:64:0:{number}::21",\n'
                '                "prefixlen": 127',
            )
        )
        assert (
            f'"inet6",\n                "local": "fd00:64:0:{number}::21"' in texts["ip_addr.json"]
        )
        assert nic in texts["ip_addr.json"]
    more = "net.ipv6.neigh.default.gc_thresh3 = 1024\n"
    return texts | {"show_gids.txt": "\n".join(gids) + "\n", "sysctl.txt": sysctl() + more}


def dcb_outputs() -> dict[str, str]:
    """Return the files of the same host with ``dcb`` in place of ``mlnx_qos``."""
    texts = {name: text for name, text in outputs().items() if not name.startswith("mlnx")}
    values: dict[str, dict[str, object]] = {
        "pfc": {
            "pfc_cap": 8,
            "macsec_bypass": False,
            "delay": 5,
            "prio_pfc": [number == 3 for number in range(8)],
        },
        "ets": {
            "willing": False,
            "ets_cap": 8,
            "cbs": False,
            "tc_bw": [50, 0, 0, 50, 0, 0, 0, 0],
            "pg_bw": [0] * 8,
            "tc_tsa": ["strict" if number == 6 else "ets" for number in range(8)],
            "prio_tc": list(range(8)),
        },
        "app": {"dscp_prio": [[dscp, {26: 3, 48: 6}.get(dscp, 0)] for dscp in range(64)]},
        "buffer": {
            "prio_buffer": [int(number == 3) for number in range(8)],
            "buffer_size": [61440, 196608, 0, 0, 0, 0, 0, 0],
            "total_size": 524160,
        },
    }
    for nic in NICS:
        for part, row in values.items():
            texts[f"dcb_{part}-{nic}.json"] = json.dumps(row, indent=4) + "\n"
    return texts
