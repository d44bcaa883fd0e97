"""The figures of docs/lossless.md on paths: deadlock, ECMP, watchdog; and the rules by topic."""

from __future__ import annotations

from fabric.core.units import mib_to_bytes, s_to_ms, s_to_us
from fabric.platforms import platforms
from fabric.qos.deadlock import prove
from fabric.qos.ecmp.collective import (
    classic_spine_share,
    rail_spine_share,
    relayed_spine_share,
    spread,
)
from fabric.qos.ecmp.hashing import effective_paths
from fabric.qos.ecmp.load import (
    efficiency,
    expected_max_load,
    used_share,
)
from fabric.qos.watchdog import longest_pause_s, storm
from fabric.report.storm import storm as nic_storm
from fabric.validate.runner import all_rules
from fabric.workflow.project import Project
from tests.docs.lossless import INVENTORY, ends, figures, leaf, project, size, table
from tests.docs.papers import collision_probability, members_used
from tests.qos.deadlock.written import dependencies, find_cycle
from tests.topology.fabrics import fabric


@figures.add("deadlock-routes")
def deadlock_routes() -> str:
    """Return the dependencies of written routes."""
    up_down = [
        route.split()
        for route in ("h0 L0 S0 L1 h2", "h2 L1 S0 L0 h0", "h0 L0 S1 L1 h2", "h2 L1 S1 L0 h0")
    ]
    one = "h0 L0 S0 L1 S1 L0 h1".split()
    other = "h2 L1 S1 L0 S0 L1 h3".split()
    cases = {
        "up and down": up_down,
        "and one bounce, at L1": [*up_down, one],
        "and another one, at L0": [*up_down, one, other],
    }
    rows = []
    for title, routes in cases.items():
        graph = dependencies(routes)
        cycle = find_cycle(graph)
        trail = ", ".join(f"{c.source} to {c.target}" for c in cycle.channels) if cycle else "none"
        rows.append((title, sum(len(edges) for edges in graph.values()), trail))
    return table("routes over leaves L0, L1 and spines S0, S1 | dependencies | cycle", rows)


@figures.add("refresh")
def refresh() -> str:
    """Return what asks a silent NIC again on each system."""
    rows = []
    for name in platforms:
        platform = platforms[name]
        asks = platform.neighbour_refresh
        wait = f"{asks.period_s} s" if asks.period_s else "arp.timeout_s"
        wait += f" x {asks.spread:g}" if asks.spread > 1 else ""
        wait += f" + {asks.probes_s} s" if asks.probes_s else ""
        mac = platform.fixed_mac_ageing_s
        ageing = f"{mac} s, fixed" if mac else f"{platform.default_mac_ageing_s} s"
        row = (platform.title, asks.mechanism, wait, ageing, asks.source)
        rows.append((*row, "yes" if asks.confirmed else "no"))
    return table("system | asked by | longest wait | MAC ageing | source | confirmed", rows)


#: Four leaves and two spines; the first two leaves have lost one spine each, not the same one.
_CUT = """devices:
  - {names: su1-rail0, ports: {Ethernet128: {enabled: false}}}
  - {names: su1-rail1, ports: {Ethernet136: {enabled: false}}}
"""
_OWN_AS = "  - {names: spine02, asn: 65200}\n"


@figures.add("deadlock-fabrics")
def deadlock_fabrics() -> str:
    """Return the proof of the example and of a small fabric with two AS schemes."""
    ports = {"sku": "ACS-MSN4700", "host_ports": 16}
    cases = {
        "rail-512": project().fabric,
        "4 leaves, 2 spines, 2 uplinks down, one AS for the spines": fabric(
            _CUT, platforms__leaf=ports
        ),
        "the same, an AS for each spine": fabric(_CUT + _OWN_AS, platforms__leaf=ports),
    }
    rows = []
    for title, made in cases.items():
        proof = prove(made)
        answer = "free" if proof.free else f"cycle of {len(proof.cycle.channels)} buffers"
        looked = size(proof.failures_checked) if proof.free else "none: it exists without a failure"
        rows.append((title, size(proof.vertices), looked, answer))
    return table("fabric | lossless buffers | single failures checked | answer", rows)


@figures.add("ecmp")
def ecmp() -> str:
    """Return what happens to k flows on n links."""
    rows = [
        (
            flows,
            links,
            f"{collision_probability(flows, links):.3f}",
            f"{float(used_share(flows, links)):.3f}",
            f"{expected_max_load(flows, links):.3f}",
            f"{efficiency(flows, links):.3f}",
        )
        for flows, links in ((8, 32), (8, 8), (32, 32), (64, 32))
    ]
    heads = "flows k | links n | two share one | links in use | fullest link E[M] | efficiency"
    return table(heads, rows)


@figures.add("queue-pairs")
def queue_pairs() -> str:
    """Return what queue pairs give to the hosts and uplinks of a leaf of the example."""
    hosts, links = leaf_ports()
    rows = [
        (found.queue_pairs, f"{found.over_mean:.2f}", f"{found.efficiency:.2f}")
        for count in (1, 4, 16, 32)
        for found in (spread(hosts, links, count),)
    ]
    return table("queue pairs m | fullest link over mean | rate of the slowest", rows)


@figures.add("polarisation")
def polarisation() -> str:
    """Return the paths that are left when leaf and spine of the example hash alike."""
    _, near = leaf_ports()
    switches = project().fabric.switches
    far = near // (len(switches) - switches.leaf_count)
    left, behind = effective_paths(near, far), members_used(near, far)
    return (
        f"Leaf with {near} next hops, spine with {far} cables to the other leaf: {left} of "
        f"{near * far} paths are left, and {behind} of {far} cables behind one uplink."
    )


@figures.add("spine-share")
def spine_share() -> str:
    """Return the share of an all-to-all that crosses the spines, for 32 hosts."""
    return (
        "Uniform all-to-all of 32 hosts, share over the spines: "
        f"{rail_spine_share(8):.3f} with 8 rails, {relayed_spine_share():g} when hosts relay over "
        f"NVLink to the rail of the receiver, {classic_spine_share(32, 4):.3f} in a classic "
        "design with 4 hosts on a leaf."
    )


def leaf_ports() -> tuple[int, int]:
    """Return the host ports and the uplinks of the leaf of the example."""
    kinds = [port.kind for port in leaf().ports]
    return kinds.count("host"), kinds.count("uplink")


#: Examples with one NIC of each, and the pool of their switches that have none, in MiB.
STORMS = {
    "rail-only": ("gpu001:eth1", 0),
    "a100-pcie": ("a100-1:ens1f0", 16),
    "dual-tor": ("gpu01:eth1", 0),
    "dual-plane": ("gpu01:eth1", 0),
    "three-tier": ("gpu01:eth1", 0),
    "explicit": ("x3001:eth1", 0),
    "demo": ("gpu001:eth1", 64),
    "rail-512": ("gpu001:eth1", 0),
}


@figures.add("storms")
def storms() -> str:
    """Return what a storm of one NIC stops in each example."""
    rows = []
    for name, (nic, pool_mib) in STORMS.items():
        for pattern in ("rail", "all"):
            designs = Project(INVENTORY.parent / name)
            report = nic_storm(
                designs, nic, pattern=pattern, pool_bytes=int(mib_to_bytes(pool_mib))
            )
            end = report.end
            assert end
            ports = sum(tier.ports for tier in report.tiers)
            nics = sum(tier.ports for tier in report.tiers if tier.title.startswith("NIC"))
            rows.append((
                f"{name} (pools assumed)" if pool_mib else name,
                pattern,
                f"{nics} of {sum(map(len, report.traffic.members)) - 1}",
                ports - nics,
                f"{report.hosts_end} of {len(designs.fabric.hosts)}",
                f"{s_to_us(report.last_s):,.0f}",
                f"{s_to_ms(end.earliest_s):.0f} to {s_to_ms(end.latest_s):.0f}",
            ))
    return table(
        "example | traffic | NICs paused | switch ports paused | hosts stopped | all after, us "
        "| the leaf's watchdog acts after, ms",
        rows,
    )


@figures.add("watchdog")
def watchdog() -> str:
    """Return times of the example's watchdog against pauses and drains, by speed."""
    times = ends()[0][1].qos.watchdog
    buffer_bytes = leaf().sku.packet_buffer_bytes or 0
    rows = []
    for speed in (100, 400, 800):
        met = storm(times.detection_ms, times.poll_ms, buffer_bytes, speed)
        rows.append((
            f"{speed}G",
            f"{s_to_us(longest_pause_s(speed)):.1f}",
            f"{s_to_ms(met.drain_s):.2f}",
            f"{met.detection_s / met.drain_s:.0f}",
            f"{s_to_ms(met.latest_s):.0f}",
            f"{met.buffers_filled:.0f}",
        ))
    heads = (
        f"port | one pause, us | drain of {buffer_bytes:,} bytes, ms | "
        f"detection {times.detection_ms} ms, in drains | acts after, ms | buffers filled"
    )
    return table(heads, rows)


#: Topic -> rules; those of QOS that stand nowhere are listed as "other".
_TOPICS = {
    "headroom": "QOS020 QOS021 QOS024 QOS025 QOS045 QOS050 QOS073 SON007 SON014",
    "NIC": "QOS041",
    "buffer, pools, classes": "QOS022 QOS026 QOS027 QOS040 QOS047 SON001 SON006 SON008",
    "thresholds": "QOS028 SON009 EOS004",
    "ECN": "QOS001 QOS002 QOS003 QOS029 QOS030 QOS031 QOS034 EOS005 SON004 SON010 SON015",
    "DCQCN": "QOS008 QOS009 QOS036 QOS055",
    "deadlock, flooding": "QOS060 QOS061 QOS062 QOS063 BGP004 ARP001",
    "ECMP": "BGP003 TOP012 TOP014 TOP015",
    "watchdog": "QOS013 QOS014 QOS015 QOS023 QOS032 QOS033 QOS074 EOS002 SON002 SON011 SON016 "
    "SON023",
    "same class at both ends": "QOS004 QOS005 QOS006 QOS007 QOS010 QOS011 EOS001 SON003 SON017 "
    "SON018 SON020 SON021",
    "frames": "QOS016 QOS017 QOS018 QOS019 QOS049 SON013",
    "scheduler": "QOS012 SON005 SON022 EOS003 HST004",
}


@figures.add("rules")
def rules() -> str:
    """Return which rules check what."""
    known = [rule.id for rule in all_rules()]
    placed = {topic: names.split() for topic, names in _TOPICS.items()}
    told = {name for names in placed.values() for name in names}
    unknown = sorted(told - set(known))
    assert not unknown, f"no such rules: {unknown}"
    rest = [name for name in known if name.startswith("QOS") and name not in told]
    rows = [(topic, ", ".join(names)) for topic, names in {**placed, "other": rest}.items()]
    return table("topic | rules", [row for row in rows if row[1]])
