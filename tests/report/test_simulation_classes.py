"""simulate: classes of an inventory and of a single switch, side by side."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import yaml

from fabric.core.errors import InputError
from fabric.design.pool import lossless_pool_bytes
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.simulate.class_summary import ClassSummary
from fabric.qos.simulate.classes import LossyPool, SimulatedClass
from fabric.report.simulation import fabric_runs, fabric_scenario, star_runs
from fabric.report.simulation_also import Also, also_of
from fabric.report.simulation_class_tables import class_table
from fabric.report.simulation_classes import lossy_pool, weights
from fabric.report.simulation_plot import plot
from fabric.report.simulation_settings import Load, Settings, settings_of
from fabric.report.simulation_tables import as_dict, verdicts
from fabric.workflow.project import Project
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY

STAR = {"speed_gbps": 100.0, "delay_us": 1.0, "buffer_bytes": 2**25, "alpha": 0.125}
CLASSES = [
    {"name": "rdma", "dscps": [26], "pfc_priority": 3, "scheduler_percent": 40},
    {
        "name": "storage",
        "dscps": [34],
        "pfc_priority": 4,
        "scheduler_percent": 20,
        "ecn": {"kmin_bytes": 800_000},
    },
]
LOAD = Load(
    senders=4, duration_us=300.0, lossless_class="storage", also=(Also("rdma", 0),), lossy_gbps=50.0
)
TO = ("gpu001:eth1",)


def quiet(_words: str) -> None:
    """Take progress."""


def written(folder, **lossless):
    """Write rail-512 with two lossless classes."""
    data = yaml.safe_load((INVENTORY / "rail-512" / "fabric.yaml").read_text())
    data["lossless"] |= {"classes": CLASSES, "scheduler": {"default_percent": 30}, **lossless}
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


@pytest.fixture(scope="module")
def two(tmp_path_factory):
    return Project(written(tmp_path_factory.mktemp("two")))


def test_classes_have_the_design_of_the_inventory(two):
    scenario = fabric_scenario(two, TO, LOAD, Settings(), far=False)
    assert scenario.classes == (
        SimulatedClass(name="storage", pfc_priority=4),
        SimulatedClass(name="rdma", pfc_priority=3),
        SimulatedClass(name="lossy", pfc_priority=None),
    )
    cable = scenario.cables[0]
    storage, rdma, lossy = cable.far.classes(3)
    assert (storage.weight, rdma.weight, lossy.weight) == (20, 40, 30)
    assert storage.ingress == rdma.ingress
    assert lossy.ingress is None
    assert storage.marking.kmin_bytes >= 800_000 > rdma.marking.kmin_bytes >= 150_000
    assert lossy.marking is None
    assert [own.weight for own in cable.near.classes(3)] == [20, 40, 40]
    leaf = two.devices["su1-rail0"]
    assert lossless_pool_bytes(leaf) in scenario.shared_bytes
    assert lossy_pool(leaf) == LossyPool(own_bytes=52_161_690, shares=False)
    assert {*scenario.lossy_pools} == {None, lossy_pool(leaf)}


def test_who_sends_to_whom(two):
    """Four to the receiver, a ring of these five, and the next NIC for what may be dropped."""
    scenario = fabric_scenario(two, TO, LOAD, Settings(), far=False)

    def ends(number):
        return [
            tuple(
                scenario.names[port ^ side].split()[0]
                for port, side in ((s.path[0], 0), (s.path[-1], 1))
            )
            for s in scenario.streams
            if s.class_number == number
        ]

    hosts = [f"gpu00{number}" for number in range(1, 7)]
    assert sorted(ends(0)) == [(host, "gpu001") for host in hosts[1:5]]
    assert sorted(ends(1)) == [*zip(hosts[:5], [*hosts[1:5], hosts[0]], strict=True)]
    assert ends(2) == [("gpu006", "gpu001")]
    rates = {stream.class_number: stream.rate_gbps for stream in scenario.streams}
    assert rates == {0: None, 1: None, 2: 50.0}
    more = replace(LOAD, also=(Also("rdma", 2, 4096),), lossy_gbps=0.0)
    scenario = fabric_scenario(two, TO, more, Settings(), far=False)
    assert sorted(ends(1)) == [("gpu006", "gpu001"), ("gpu007", "gpu001")]
    sizes = {stream.class_number: stream.size_bytes for stream in scenario.streams}
    assert sizes == {0: None, 1: 4096}


def test_a_permutation_has_a_ring_beside_it_that_is_sprayed_too(two):
    load = replace(LOAD, senders=8, lossy_gbps=0.0, size_bytes=200_000)
    variants = [Settings(name="spray", sprays=True)]
    ((run_,),) = fabric_runs(two, (), load, variants, quiet, far=False).values()
    rates = [ClassSummary(run_, number).rates_gbps for number in (0, 1)]
    assert [len(own) for own in rates] == [8, 16]
    assert all((own > 50).all() for own in rates)
    assert run_.dropped == 0
    with pytest.raises(InputError, match="takes `--also CLASS:ring` alone"):
        fabric_scenario(two, (), replace(load, lossy_gbps=1.0), Settings(), far=False)


def test_settings_of_a_class_change_that_class(two):
    chosen = settings_of("connectx,share.rdma=70,marking.storage=12.288:24.576:5", Settings())
    scenario = fabric_scenario(two, TO, LOAD, chosen, far=False)
    storage, rdma, lossy = scenario.cables[0].far.classes(3)
    assert (storage.weight, rdma.weight, lossy.weight) == (12, 70, 18)
    point = CongestionPoint(kmin_bytes=12_288, kmax_bytes=24_576, pmax_percent=5)
    assert storage.marking == point != rdma.marking
    all_of_them = settings_of("connectx,marking=12.288:24.576:5", Settings())
    scenario = fabric_scenario(two, TO, LOAD, all_of_them, far=False)
    assert {own.marking for own in scenario.cables[0].far.classes(2)} == {point}


def test_the_threshold_of_the_inventory_is_that_of_the_lossy_queue(tmp_path):
    folder = written(tmp_path, lossy={"dynamic_th": -2, "reserved_bytes": 5000})
    scenario = fabric_scenario(Project(folder), TO, LOAD, Settings(), far=False)
    queue = scenario.cables[0].far.classes(3)[2].lossy
    assert (queue.alpha, queue.reserve_bytes) == (0.25, 5000)


def test_a_switch_whose_layout_is_not_known_has_one_pool(tmp_path):
    data = yaml.safe_load((INVENTORY / "demo" / "fabric.yaml").read_text())
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    load = Load(senders=1, pool_bytes=10_000_000, lossy_gbps=10.0)
    scenario = fabric_scenario(Project(tmp_path), TO, load, Settings(), far=True)
    assert LossyPool() in scenario.lossy_pools


@pytest.mark.parametrize(
    ("shares", "chosen", "expected"),
    [
        ({"a": 20, "b": 40}, {}, {"a": 20, "b": 40}),
        ({"a": 20, "b": 40, "c": 20}, {"a": 40}, {"a": 40, "b": 40, "c": 20}),
        ({"a": 1, "b": 1}, {"a": 30, "b": 60}, {"a": 30, "b": 60}),
    ],
)
def test_shares(shares, chosen, expected):
    assert weights(shares, chosen) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"c": 10}, "share.c: the run has no such class; it has a, b"),
        ({"a": 60, "b": 50}, "the shares come to 110 percent"),
    ],
)
def test_shares_that_cannot_be(chosen, message):
    with pytest.raises(InputError, match=message):
        weights({"a": 1.0, "b": 1.0}, chosen)


def test_also_is_words():
    assert also_of(["storage:8:4MiB", "rdma:ring"]) == (
        Also("storage", 8, 2**22),
        Also("rdma", 0),
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["storage"], "--also is 'storage'; write CLASS:SENDERS or CLASS:ring"),
        (["storage:0"], "write CLASS:SENDERS"),
        (["storage:257"], "write CLASS:SENDERS"),
        (["Storage:2"], "write CLASS:SENDERS"),
        (["a:2:x"], "invalid size 'x'"),
        (["a:2", "a:ring"], "names class a twice"),
    ],
)
def test_also_that_cannot_be(words, message):
    with pytest.raises(InputError, match=message):
        also_of(words)


@pytest.mark.parametrize(
    ("changes", "settings", "message"),
    [
        ({"also": (Also("storage", 2),)}, Settings(), "class storage, that of the incast"),
        ({"also": (Also("none", 2),)}, Settings(), "no lossless class 'none'; it has rdma, stor"),
        ({}, Settings(shares={"x": 5.0}), "share.x: the run has no such class"),
        ({}, settings_of("marking.x=1:2:3", Settings()), "marking.x: the run has no such class"),
        (
            {"senders": 63},
            Settings(),
            "senders are needed, with --also and --lossy-gbps; only 63 NICs",
        ),
    ],
)
def test_what_is_not_there_is_named(two, changes, settings, message):
    with pytest.raises(InputError, match=message):
        fabric_scenario(two, TO, replace(LOAD, **changes), settings, far=False)


@pytest.mark.parametrize("words", ["share.a=0", "share.a=100", "share.a=x", "share=5"])
def test_settings_of_a_class_that_cannot_be(words):
    with pytest.raises(InputError, match=r"a share is|'share' is not one of"):
        settings_of(words, Settings())


@pytest.fixture(scope="module")
def starred():
    load = replace(LOAD, senders=6, also=(Also("rdma", 3),), duration_us=2000.0, runs=2)
    load = replace(load, lossy_gbps=80.0)
    variants = [Settings(name="a"), settings_of("connectx,share.storage=60", Settings())]
    return load, star_runs(load, variants, quiet, **STAR)


def test_tables_and_json_say_the_same_of_classes(starred):
    load, runs = starred
    table, data = class_table(runs), json.loads(json.dumps(as_dict(runs, load.seeds)))
    assert table.headers == ("class", "figure", "a", "connectx,share.storage=60")
    column = {row[:2]: row[2] for row in table.rows}
    assert {name for name, _ in column} == {"storage", "rdma", "lossy"}
    shown = data["a"]["classes"]
    for name, words in (("storage", "rate, Gb/s"), ("lossy", "rate, Gb/s")):
        worst = shown[name]["rate_gbps"]["worst"]
        assert str(column[name, words]).endswith(f"{worst:.10g}")
    for run_ in runs["a"]:
        shares = [ClassSummary(run_, number).share_percent for number in range(3)]
        assert sum(shares) == pytest.approx(100)
    more = data["connectx,share.storage=60"]["classes"]["storage"]["share_percent"]["p50"]
    assert more > shown["storage"]["share_percent"]["p50"] + 10
    series = data["a"]["runs"][0]["class_throughput_gbps"]
    assert [*series] == ["storage", "rdma", "lossy"]
    total = [sum(rates) for rates in zip(*series.values(), strict=True)]
    assert total == pytest.approx(data["a"]["runs"][0]["throughput_gbps"], abs=0.05)


def test_drops_of_other_traffic_are_no_loss(starred):
    _, runs = starred
    first = runs["a"][0]
    assert first.lossy_dropped > 0
    assert first.dropped == 0
    sentence = verdicts(runs)[0]
    assert "no packet lost" in sentence
    assert "packets of other traffic dropped" in sentence


def test_one_class_has_no_table_of_classes():
    load = Load(senders=2, duration_us=100.0)
    data = as_dict(star_runs(load, [Settings()], quiet, **STAR), load.seeds)
    assert "classes" not in data["set"]
    assert "class_throughput_gbps" not in data["set"]["runs"][0]


def test_a_plot_has_a_line_for_each_class(starred, tmp_path):
    _, runs = starred
    plot({"a": runs["a"]}, tmp_path / "one.svg")
    text = (tmp_path / "one.svg").read_text()
    assert all(f">{name}<" in text for name in ("storage", "rdma", "lossy"))
    assert "throughput through that port" in text


def test_a_star_rejects_classes_that_it_does_not_have():
    for settings, message in (
        (settings_of("marking.x=1:2:3", Settings()), "marking.x"),
        (Settings(shares={"x": 5.0}), "share.x"),
    ):
        with pytest.raises(InputError, match=message):
            star_runs(LOAD, [settings], quiet, **STAR)
    with pytest.raises(InputError, match="class storage, that of the incast"):
        star_runs(replace(LOAD, also=(Also("storage", 0),)), [Settings()], quiet, **STAR)


def test_the_command_prints_classes_and_drops_are_no_findings():
    ended = run(
        *"simulate --star --incast 4 --class storage --also rdma:ring --lossy-gbps 80".split(),
        *"--duration-ms 1 --runs 1 --alpha 0.01".split(),
    )
    assert ended.code == 0
    assert "share of the port, %" in ended.out
    assert "packets of other traffic dropped" in ended.out
    rejected = run(*"simulate --star --also storage".split())
    assert rejected.code == 2
    assert "write CLASS:SENDERS or CLASS:ring" in rejected.err
