"""simulate: from an inventory to packets, and the tables."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import yaml

from fabric.core.errors import InputError
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.dcqcn.presets import CONNECTX
from fabric.qos.simulate.start import start_scenario
from fabric.report.buffers import assumed_pool_bytes
from fabric.report.dcqcn import kinds
from fabric.report.simulated_star import star_of
from fabric.report.simulation import fabric_runs, fabric_scenario, star_runs, star_scenario
from fabric.report.simulation_plot import _drawing, plot
from fabric.report.simulation_settings import Load, Settings, settings_of
from fabric.report.simulation_sizes import size_of
from fabric.report.simulation_tables import as_dict, comparison, ports, verdicts
from fabric.report.simulation_thresholds import thresholds, xoff_bytes
from fabric.topology.sample_path import Sampler
from fabric.workflow.project import Project
from tests.topology.fabrics import INVENTORY, example

STAR = {"speed_gbps": 100.0, "delay_us": 1.0, "buffer_bytes": 2**25, "alpha": 0.125}
STAR_SHAPE = {name: STAR[name] for name in ("speed_gbps", "delay_us", "alpha")}
SHORT = Load(senders=4, size_bytes=100_000, duration_us=500.0)
#: Step in which Spectrum-4 keeps thresholds, in bytes.
STEP = 12_288


def quiet(_words: str) -> None:
    """Take progress."""


@pytest.fixture(scope="module")
def rail() -> Project:
    return Project(INVENTORY / "rail-512")


def test_an_incast_has_the_design_of_the_inventory(rail):
    scenario = fabric_scenario(rail, ("gpu001:eth1",), SHORT, Settings(), far=False)
    leaf = rail.devices["su1-rail0"]
    port = leaf.ports[0]
    cable = scenario.cables[0]
    assert [stream.path for stream in scenario.streams] == [(0, 3), (4, 3), (6, 3), (8, 3)]
    assert scenario.names[:4] == ("gpu002 eth1", "su1-rail0 Ethernet8", "gpu001 eth1",
                                  "su1-rail0 Ethernet0")  # fmt: skip
    assert cable.far.ingress.headroom_bytes == port.headroom.headroom_bytes
    assert cable.far.marking.kmin_bytes >= port.qos.classes[0].kmin_bytes
    assert cable.speed_gbps == port.speed_gbps
    assert cable.near.ingress is None
    assert scenario.parameters.name == "connectx"


def test_far_senders_come_from_other_units_and_cross_spines(rail):
    scenario = fabric_scenario(rail, ("gpu001:eth1",), SHORT, Settings(), far=True)
    assert {len(stream.path) for stream in scenario.streams} == {4}
    ends = {scenario.names[stream.path[-1]] for stream in scenario.streams}
    assert ends == {"su1-rail0 Ethernet0"}


def test_own_set_brings_its_thresholds(rail):
    own = fabric_scenario(rail, ("gpu001:eth1",), SHORT, Settings(parameters="rocefab"), far=False)
    point = own.parameters.congestion_point
    (marking,) = {cable.far.marking for cable in own.cables}
    configured = point.kmin_bytes, point.kmax_bytes
    assert (marking.set_bytes or (marking.kmin_bytes, marking.kmax_bytes)) == configured
    given = CongestionPoint(kmin_bytes=STEP, kmax_bytes=2 * STEP, pmax_percent=5)
    chosen = Settings(parameters="rocefab", marking=given)
    other = fabric_scenario(rail, ("gpu001:eth1",), SHORT, chosen, far=False)
    assert {cable.far.marking for cable in other.cables} == {given}


@pytest.mark.parametrize(
    ("written_kb", "kept_bytes"),
    [
        ("150:1500", (13 * STEP, 123 * STEP)),
        ("12.288:24.576", (STEP, 2 * STEP)),
        ("0:1", (0, STEP)),
        ("1:2", (STEP, STEP + 1)),
    ],
    ids=["between steps", "multiples", "from 0 on", "in one step"],
)
def test_a_switch_rounds_the_marking_of_settings(rail, written_kb, kept_bytes):
    """Spectrum-4 keeps multiples of its step; a star has no switch model, and rounds nothing."""
    own = settings_of(f"marking={written_kb}:20", Settings())
    scenario = fabric_scenario(rail, ("gpu001:eth1",), SHORT, own, far=False)
    (marking,) = {cable.far.marking for cable in scenario.cables}
    assert (marking.kmin_bytes, marking.kmax_bytes) == kept_bytes
    star = star_scenario(star_of(SHORT, STAR["buffer_bytes"], 0.0, **STAR_SHAPE), SHORT, own)
    assert star.cables[0].far.marking == own.marking


def test_marking_as_in_the_inventory_is_that_of_the_inventory(rail):
    own_class = rail.devices["su1-rail0"].ports[0].qos.classes[0]
    kmin_kb, kmax_kb = own_class.kmin_bytes / 1e3, own_class.kmax_bytes / 1e3
    words = f"{kmin_kb}:{kmax_kb}:{own_class.pmax_percent}"
    scenarios = [
        fabric_scenario(rail, ("gpu001:eth1",), SHORT, settings, far=False)
        for settings in (Settings(), settings_of(f"marking={words}", Settings()))
    ]
    assert scenarios[0].cables == scenarios[1].cables


@pytest.mark.parametrize("name", ["three-tier", "dual-plane", "dual-tor", "eight-slash-27"])
def test_paths_are_cables_end_to_end(name):
    fabric = example(name)
    sampler = Sampler(fabric, 3)
    nics, up = fabric.nics, fabric.uplinks
    random = np.random.default_rng(5)
    lengths = set()
    for source, target in random.integers(0, len(nics), (200, 2)).tolist():
        path = sampler.path(source, target) if nics.host[source] != nics.host[target] else ()
        at = int(nics.leaf[source])
        for step in path[1:-1]:
            start, end = (up.lower, up.upper) if step.up else (up.upper, up.lower)
            assert int(start[step.row]) == at
            assert up.enabled[step.row]
            at = int(end[step.row])
        if path:
            assert at == int(nics.leaf[target])
            lengths.add(len(path))
    assert max(lengths) == {"three-tier": 6}.get(name, 4)


def test_equal_paths_are_drawn_about_as_often():
    fabric = example("rail-512")
    sampler = Sampler(fabric, 1)
    other = int(np.flatnonzero(fabric.nics.leaf != fabric.nics.leaf[0])[0])
    target = int(np.flatnonzero((fabric.nics.rail == 0) & (fabric.nics.leaf != 0))[0])
    assert other != target
    first = np.array([sampler.path(0, target)[1].row for _ in range(2000)])
    counts = np.bincount(first)[np.unique(first)]
    assert len(counts) == len(fabric.uplinks_of(0))
    assert counts.min() > 0.4 * counts.mean()


@pytest.mark.parametrize("name", ["rail-512", "three-tier", "dual-plane", "dual-tor"])
def test_equal_steps_are_those_of_all_paths(name):
    fabric = example(name)
    sampler, nics = Sampler(fabric, 3), fabric.nics
    far = np.flatnonzero((nics.leaf != nics.leaf[0]) & (nics.host != nics.host[0])).tolist()
    targets = [row for row in far[:8] + far[-8:] if sampler.path(0, row)]
    for target in (targets[0], targets[-1]):
        drawn = {step for _ in range(600) for step in sampler.path(0, target)[1:-1]}
        assert drawn == {*sampler.equal_steps(0, target)}
    same = np.flatnonzero((nics.leaf == nics.leaf[0]) & (nics.host != nics.host[0]))
    assert sampler.equal_steps(0, int(same[0])) == ()


def test_a_permutation_collides_on_paths_and_not_when_it_is_sprayed(rail):
    load = Load(senders=32, size_bytes=4_000_000, duration_us=2000.0)
    variants = [Settings(name="ecmp"), Settings(name="spray", sprays=True)]
    runs = fabric_runs(rail, (), load, variants, quiet, far=False)
    (ecmp,), (spray,) = runs.values()
    streams = ecmp.outcome.scenario.streams
    assert len({stream.path[-1] for stream in streams}) == 32
    assert {len(stream.path) for stream in streams} == {4}
    assert spray.aggregate_gbps > 2 * ecmp.aggregate_gbps
    assert spray.late_percent > ecmp.late_percent == 0
    up = {ports for ports in spray.outcome.scenario.routes.values() if len(ports) > 1}
    assert {len(ports) for ports in up} == {32, 4}
    with pytest.raises(InputError, match="--permutation is 65; rail 0 has 64 NICs"):
        fabric_runs(rail, (), replace(load, senders=65), variants, quiet, far=False)


def test_whatever_ports_are_chosen_a_packet_arrives_after_as_many_hops():
    """Senders of the leaf, the pod and other pods: the ways of one receiver join at switches."""
    load = Load(senders=15, duration_us=100.0, pool_bytes=10**8)
    project = Project(INVENTORY / "three-tier")
    scenario = fabric_scenario(project, ("gpu01:eth1",), load, Settings(sprays=True), far=False)
    lengths = set()
    for stream in scenario.streams:
        ports = [stream.path[0]]
        for _ in stream.path[1:]:
            cables = {port: scenario.cables[port // 2] for port in ports}
            nodes = {(c.near if port % 2 else c.far).node for port, c in cables.items()}
            ports = [p for node in nodes for p in scenario.routes[stream.path[-1], node]]
        assert {*ports} == {stream.path[-1]}
        lengths.add(len(stream.path))
    assert lengths == {2, 4, 6}


def test_spraying_needs_several_paths():
    with pytest.raises(InputError, match="instead of --star"):
        star_runs(SHORT, [Settings(sprays=True)], quiet, **STAR)


def test_tenants_send_within_their_own_and_through_tunnels():
    tenants = Project(INVENTORY / "tenants")
    load = Load(senders=1, duration_us=100.0, pool_bytes=10_000_000)
    own = fabric_scenario(tenants, ("gpu001:eth1",), load, Settings(), far=False)
    assert sorted(cable.tunnel_bytes for cable in own.cables) == [0, 0, 50, 50]
    with pytest.raises(InputError, match="2 senders are needed; only 1 NIC of the rail reaches"):
        fabric_scenario(tenants, ("gpu001:eth1",), replace(load, senders=2), Settings(), far=False)


def test_a_permutation_of_tenants_stays_within_them(tmp_path):
    """Three of four hosts are of one tenant: half of the fabric away would be another one."""
    data = yaml.safe_load((INVENTORY / "tenants" / "fabric.yaml").read_text())
    data["tenants"][0]["hosts"] = "gpu[001-003]"
    data["tenants"][1] = {"name": "blue", "id": 18, "hosts": "gpu004"}
    load = Load(senders=2, duration_us=100.0, pool_bytes=10_000_000)
    for form, pairs in (("evpn", 2), ("local", 0)):
        data["tenancy"]["form"] = form
        (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
        tenants = Project(tmp_path)
        with pytest.raises(InputError, match=f"rail 0 has {pairs} NICs with a receiver"):
            fabric_scenario(tenants, (), replace(load, senders=3), Settings(), far=False)
    with pytest.raises(InputError, match="2 senders are needed; only 1 NIC of the rail reaches"):
        fabric_scenario(tenants, ("gpu001:eth1",), load, Settings(), far=False)
    data["tenancy"]["form"] = "evpn"
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    own = fabric_scenario(Project(tmp_path), (), load, Settings(), far=False)
    hosts = [[own.names[s.path[0]], own.names[s.path[-1] ^ 1]] for s in own.streams]
    assert hosts == [["gpu002 eth1", "gpu003 eth1"], ["gpu003 eth1", "gpu001 eth1"]]


def test_tables_and_json_say_the_same(rail):
    variants = [Settings(name="a"), Settings(name="b", reaction="off")]
    load = replace(SHORT, senders=16, size_bytes=4_000_000, duration_us=1500.0, seed=5, runs=3)
    runs = fabric_runs(rail, ("gpu001:eth1",), load, variants, quiet, far=False)
    table, data = comparison(runs), json.loads(json.dumps(as_dict(runs, load.seeds)))
    assert table.headers == ("figure: p50 / p95 / worst", "a", "b")
    column = {row[0]: row[2] for row in table.rows}
    pauses = sorted(run.pauses for run in runs["b"])
    assert pauses[0] > 0
    shown = data["b"]["figures"]["pauses"]
    assert shown == {"p50": pauses[1], "p95": pauses[2], "worst": pauses[2]}
    assert column["pauses"] == " / ".join(map(str, shown.values()))
    assert column["lost packets"] == "0"
    rates = sorted(run.aggregate_gbps for run in runs["b"])
    assert data["b"]["figures"]["aggregate_gbps"]["worst"] == round(rates[0], 2)
    flows = np.concatenate([run.rates_gbps for run in runs["b"]])
    assert data["b"]["figures"]["flow_gbps"]["worst"] == round(float(flows.min()), 2)
    assert [run["seed"] for run in data["b"]["runs"]] == [5, 6, 7]
    assert {len(run["flows_gbps"]) for run in data["b"]["runs"]} == {16}
    longest = max(range(3), key=lambda row: runs["b"][row].paused_us)
    rows = [row[1:] for row in ports(runs).rows if row[0] == "b"]
    assert rows == [tuple(row.values()) for row in data["b"]["runs"][longest]["ports"]]
    most = [row[1:] for row in ports(runs, full=False).rows if row[0] == "b"]
    assert len(most) == 8 < len(rows)
    assert sorted(row[4] for row in rows)[-8:][::-1] == [row[4] for row in most]


def test_a_sentence_says_what_came_of_it(rail):
    runs = star_runs(SHORT, [Settings(name="calm")], quiet, **STAR)
    assert re.fullmatch(
        r"calm: no packet lost; no port paused; queue up to \d+ kB at switch to receiver, "
        r"of a shared pool of [\d,]+ kB\.",
        verdicts(runs)[0],
    )
    load = replace(SHORT, senders=16, size_bytes=4_000_000, duration_us=500.0)
    (said,) = verdicts(
        fabric_runs(rail, ("gpu001:eth1",), load, [Settings(reaction="off")], quiet, far=False)
    )
    assert re.search(r"ports paused for [\d,]+ us in all, the last until [\d,]+ us", said)
    assert "16 flows did not end" in said
    end = r"3 ports are still paused at the end, the longest for \d+ % of the run: PFC, not cong"
    assert re.search(end, said)


def test_starts_are_spread_by_the_seed():
    stars = [
        star_runs(replace(SHORT, start_spread_us=width, runs=2), [Settings()], quiet, **STAR)
        for width in (0.0, 50.0, 50.0)
    ]
    starts = [[run.outcome.flows["start"].tolist() for run in runs["set"]] for runs in stars]
    assert starts[0] == [[0] * 4] * 2
    assert starts[1] == starts[2]
    assert starts[1][0] != starts[1][1]
    assert 0 < min(map(min, starts[1])) < max(map(max, starts[1])) < 50_000_000


def test_a_queue_that_never_drains_is_not_a_figure():
    load = replace(SHORT, size_bytes=None)
    runs = star_runs(load, [Settings(reaction="off")], quiet, **STAR)
    assert dict(comparison(runs).rows)["queue of the start gone, us"] == "never"
    assert as_dict(runs, load.seeds)["set"]["figures"]["drained_us"]["worst"] is None


def test_a_plot_is_the_same_twice(tmp_path):
    runs = star_runs(replace(SHORT, runs=2), [Settings()], quiet, **STAR)
    for name in ("one.svg", "two.svg"):
        plot(runs, tmp_path / name)
    text = (tmp_path / "one.svg").read_text()
    assert text == (tmp_path / "two.svg").read_text()
    assert "NICs send to one NIC (switch to receiver), " in text
    assert "throughput of all flows: median and range of 2 runs" in text
    with pytest.raises(InputError, match="unsupported plot format"):
        plot(runs, tmp_path / "one.gif")


def first_run(runs):
    return next(iter(runs.values()))[0]


def test_a_plot_has_the_thresholds_of_its_port(tmp_path):
    """One line for what is the same for all; what one of the settings has is named by it."""
    load = replace(SHORT, runs=1, size_bytes=1_000_000)
    own = settings_of("marking=100:400:50", Settings())
    plot(star_runs(load, [Settings(), own], quiet, **STAR), tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    shown = [
        line
        for line in re.findall(r"<text[^>]*>([^<]+)</text>", text)
        if line.startswith(("K", "XOFF"))
    ]
    assert sorted(shown)[:4] == [
        *("Kmax 0.4 MB, marking=100:400:50", "Kmax 1.5 MB, set, above the plot"),
        *("Kmin 0.1 MB, marking=100:400:50", "Kmin 0.15 MB, set"),
    ]
    assert sorted(shown)[4:] == ["XOFF 11.1 MB, above the plot"]


def test_a_plot_shows_what_the_switch_keeps_and_what_is_set(rail, tmp_path):
    """Spectrum-4 keeps multiples of 12,288 bytes; low thresholds need a logarithmic axis."""
    load = replace(SHORT, duration_us=200.0, runs=1)
    runs = fabric_runs(rail, ("gpu001:eth1",), load, [Settings(reaction="off")], quiet, far=False)
    plot(runs, tmp_path / "x.svg")
    text = (tmp_path / "x.svg").read_text()
    assert "Kmin 0.15 MB, rounded to 0.16 MB by the switch" in text
    assert "Kmax 1.5 MB, rounded to 1.51 MB by the switch" in text


@pytest.mark.parametrize(("kmin_kb", "scale"), [(100, "symlog"), (3000, "linear")])
def test_lines_and_ticks_of_a_plot_reach_its_top(kmin_kb, scale):
    """The line of XOFF is below the border, and a tick is near it; on both kinds of axes."""
    load = replace(SHORT, size_bytes=None, duration_us=2000.0, runs=1)
    own = settings_of(f"off,marking={kmin_kb}:4000:50", Settings())
    drawing = _drawing(star_runs(load, [own], quiet, **STAR))
    drawing.draw_without_rendering()
    upper = drawing.axes[0]
    assert upper.get_yscale() == scale
    top, highest = upper.get_ylim()[1], max(max(line.get_ydata()) for line in upper.lines)
    place, border = upper.transData.transform([(0, highest), (0, top)])[:, 1]
    bottom = upper.transData.transform((0, 0))[1]
    assert 0.01 < (border - place) / (border - bottom) < 0.2
    ticks = [tick for tick in upper.get_yticks() if tick <= top]
    assert max(ticks) > highest / 2


MANY = [f"off,marking={kmin_kb}:4000:50" for kmin_kb in (100, 150, 200, 250)]
SAME = [f"off,window={size_kb},marking=100:4000:50" for size_kb in (1000, 2000, 3000, 4000)]


@pytest.mark.parametrize(
    "words", [[], MANY[:1], MANY[:2], MANY, SAME], ids=["1", "2", "3", "5", "5, long entries"]
)
def test_a_plot_grows_with_its_legend(words):
    """Plots keep their height; labels of axes and ticks do not touch, and no entry is cut."""
    load = replace(SHORT, runs=1, size_bytes=1_000_000)
    variants = [Settings(), *(settings_of(word, Settings()) for word in words)]
    drawing = _drawing(star_runs(load, variants, quiet, **STAR))
    drawing.draw_without_rendering()
    (legend,) = drawing.legends
    entries = legend.get_window_extent()
    assert entries.x0 >= 0
    assert entries.x1 <= drawing.bbox.x1
    for axes in drawing.axes:
        height = axes.get_window_extent().height
        assert height > 1.8 * drawing.dpi
        assert axes.yaxis.label.get_window_extent().height < height
        low, high = axes.get_ylim()
        ticks = [
            tick.label1.get_window_extent()
            for tick in axes.yaxis.get_major_ticks()
            if low <= tick.get_loc() <= high
        ]
        assert all(lower.y1 <= upper.y0 for lower, upper in pairwise(ticks))


def test_senders_are_paused_at_the_xoff_of_the_queue():
    load = replace(SHORT, size_bytes=None, duration_us=2000.0)
    run_ = first_run(star_runs(load, [Settings(reaction="off")], quiet, **STAR))
    senders = 4
    free = STAR["buffer_bytes"] / (1 + senders * STAR["alpha"])
    xoff = xoff_bytes(run_)
    assert xoff == pytest.approx(senders * STAR["alpha"] * free, rel=0.05)
    paused = run_.outcome.ports["first_pause"]
    first = paused[paused >= 0].min() / 1e6 / run_.outcome.scenario.sample_us
    queue = run_.outcome.queues[:, run_.queue_port]
    assert queue[int(first)] == pytest.approx(xoff, rel=0.02)
    assert queue.max() == pytest.approx(xoff, rel=0.05)


def test_xoff_is_no_one_value_where_flows_leave_by_other_ports(rail):
    load = replace(SHORT, duration_us=50.0, runs=1)
    both = ("gpu001:eth1", "gpu002:eth1")
    runs = fabric_runs(rail, both, load, [Settings(reaction="off")], quiet, far=False)
    assert xoff_bytes(first_run(runs)) is None
    assert [*thresholds(first_run(runs))] == ["Kmin", "Kmax"]


@pytest.mark.parametrize(
    ("words", "size"),
    [("4MiB", 2**22), ("1MB", 10**6), ("64KiB", 65536), ("500kB", 500_000), ("12", 12)],
)
def test_sizes(words, size):
    assert size_of(words) == size


@pytest.mark.parametrize("words", ["", "-1", "4TiB", "1e9", "MiB", "0"])
def test_sizes_that_cannot_be(words):
    with pytest.raises(InputError, match="invalid size"):
        size_of(words)


def test_settings_are_words():
    chosen = settings_of("paper,marking=400:1600:20,window=100", Settings())
    assert (chosen.parameters, chosen.window_bytes) == ("paper", 100_000)
    assert chosen.marking == CongestionPoint(
        kmin_bytes=400_000, kmax_bytes=1_600_000, pmax_percent=20
    )
    assert settings_of("off", Settings()).reaction == "off"
    sprayed = settings_of("spray,go-back-n", Settings())
    assert (sprayed.sprays, sprayed.places, sprayed.levels) == (True, False, 8)
    assert settings_of("spray=5", Settings()).levels == 5


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("marking=1:2", "is not KMIN:KMAX:PMAX"),
        ("marking=5:2:1", "kmax_bytes is 2000"),
        ("speed=1", "is not one of set, reaction, marking, window"),
        ("reaction=timely", "is not one of off"),
        ("window=x", "could not convert"),
        ("first-cnp=-1", "first-cnp is '-1'; write a rate in Mb/s"),
        ("spray=no", "spray is 'no'; write spray, or the levels of a queue, 2 to 8"),
        ("spray=1", "spray is '1'"),
        ("go-back-n=1", "go-back-n takes no value"),
        ("hpcc,spray", "hpcc compares the telemetry of one path"),
    ],
)
def test_settings_that_cannot_be(words, message):
    with pytest.raises(InputError, match=message):
        settings_of(words, Settings())


@pytest.mark.parametrize(
    ("receiver", "senders", "settings", "message"),
    [
        ("gpu001", 4, Settings(), "the NICs of gpu001 are eth1"),
        ("nobody:eth1", 4, Settings(), "no host is 'nobody'"),
        ("gpu001:eth1", 200, Settings(), "only 63 NICs of the rail reach the receiver"),
        ("gpu001:eth1", 4, Settings(parameters="mine"), "unknown parameter set"),
    ],
)
def test_what_is_not_there_is_told(rail, receiver, senders, settings, message):
    with pytest.raises(InputError, match=message):
        fabric_scenario(rail, (receiver,), replace(SHORT, senders=senders), settings, far=False)


def test_the_share_of_a_known_buffer_is_the_pool():
    """Junos splits its buffer in percents: of 165.2 MB, 85 % are shared, 66 % of it lossless."""
    project = Project(INVENTORY / "unnumbered")
    load = Load(senders=2, pool_bytes=10**7)
    scenario = fabric_scenario(project, ("gpu3:eth1",), load, Settings(), far=True)
    assert 10**7 in scenario.shared_bytes
    leaf = project.devices["junos-leaf"]
    assert leaf.sku.packet_buffer_bytes == 165_200_000
    assert assumed_pool_bytes(leaf, 0) == 92_677_200
    assert assumed_pool_bytes(leaf, 10**7) == 10**7
    with pytest.raises(InputError, match="in MiB, with --buffer-mib, less than its buffer of 42"):
        assumed_pool_bytes(project.devices["comware7-leaf"], 0)


def test_an_unknown_pool_is_asked_for():
    demo = Project(INVENTORY / "demo")
    load = Load(senders=3)
    with pytest.raises(InputError, match=r"shared pool of spine0\d .* --buffer-mib"):
        fabric_scenario(demo, ("gpu001:eth1",), load, Settings(), far=True)
    scenario = fabric_scenario(
        demo, ("gpu001:eth1",), replace(load, pool_bytes=10**8), Settings(), far=True
    )
    assert 10**8 in scenario.shared_bytes


def test_headroom_is_enough_for_the_response_that_it_leaves():
    """`check` says how long a peer may take (QOS021): packets are lost only beyond it."""
    demo = Project(INVENTORY / "demo")
    port = demo.devices["su1-rail0"].ports[0]
    left = float(port.headroom.judgement.response_ns)
    lost = {}
    for response in (0.5 * left, left, None):
        load = Load(
            senders=3, size_bytes=2**24, pool_bytes=10**8, response_ns=response, duration_us=2000.0
        )
        settings = [Settings(reaction="off")]
        runs = fabric_runs(demo, ("gpu001:eth1",), load, settings, quiet, far=True)
        lost[response] = runs["set"][0].dropped
    assert lost[0.5 * left] == lost[left] == 0
    assert lost[None] > 0


@pytest.mark.parametrize(("name", "overhead"), [("rail-512", 82), ("ipv6", 102)])
def test_packets_have_the_header_of_the_family_of_rdma(name, overhead):
    load = replace(SHORT, senders=1, pool_bytes=10**8)
    own = fabric_scenario(Project(INVENTORY / name), ("gpu001:eth1",), load, Settings(), far=True)
    assert own.overhead_bytes == overhead


def _late(folder):
    """Return rail-512 with responses of spines and NICs."""
    data = yaml.safe_load((INVENTORY / "rail-512" / "fabric.yaml").read_text())
    data["platforms"]["spine"]["pause_response_ns"] = 6000
    data["host"].setdefault("nic", {})["pause_response_ns"] = 3000
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return Project(folder)


def test_each_end_stops_as_late_as_its_device(tmp_path):
    """NICs and spines as the inventory says, leaves as IEEE 802.3 allows; an option beats both."""
    late = _late(tmp_path)
    cables = fabric_scenario(late, ("gpu001:eth1",), SHORT, Settings(), far=True).cables
    ends = {(one.node, one.response_ns) for cable in cables for one in (cable.near, cable.far)}
    assert {time for _, time in ends} == {3000, 6000, 905 * 512 / 400}
    asked = replace(SHORT, response_ns=700)
    cables = fabric_scenario(late, ("gpu001:eth1",), asked, Settings(), far=True).cables
    assert {one.response_ns for cable in cables for one in (cable.near, cable.far)} == {700}


MARKING = CongestionPoint(kmin_bytes=100_000, kmax_bytes=400_000, pmax_percent=20)


def test_starts_wait_for_the_slowest_nic(tmp_path):
    buffers = [kind.buffer for kind in kinds(_late(tmp_path))]
    assert {buffer.response_ns for buffer in buffers} == {3000}
    scenario = start_scenario(400, MARKING, CONNECTX, buffers[0], 1e-5, 2)
    assert {cable.near.response_ns for cable in scenario.cables} == {3000}


def test_a_receiver_in_quarantine_is_named():
    tenants = Project(INVENTORY / "tenants")
    load = Load(senders=1, duration_us=100.0, pool_bytes=10_000_000)
    with pytest.raises(InputError, match="gpu004 eth2 is in quarantine, so that no NIC reaches"):
        fabric_scenario(tenants, ("gpu004:eth2",), load, Settings(), far=False)
