"""show buffer: what is taken, and what would still fit, against sums done by hand."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from fabric.cli.app import app
from fabric.core.errors import InputError
from fabric.design.model import DeviceDesign
from fabric.design.pool import lossless_pool_bytes
from fabric.platforms.catalogue import sku
from fabric.report.buffer import buffer
from fabric.report.buffers import assumed_pool_bytes
from fabric.report.computed_buffer import computed
from fabric.workflow.check import check
from fabric.workflow.project import Project
from tests.cli.runs import run

ROOT = Path(__file__).parents[2]


def _rows(folder: Path) -> list[dict[str, object]]:
    table = buffer(Project(folder))
    return [dict(zip(table.headers, row, strict=True)) for row in table.rows]


def _changed(folder: Path, base: str, **changes: object) -> Path:
    data = yaml.safe_load((ROOT / "inventory" / base / "fabric.yaml").read_text())
    data.update(changes)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


def beside_the_pool() -> int:
    """Return the buffer of an SN5600 without its ingress pools."""
    model = sku("ACS-SN5600")
    assert model.packet_buffer_bytes
    assert model.pools
    pools = model.pools.ingress_lossless_bytes + (model.pools.ingress_lossy_bytes or 0)
    return model.packet_buffer_bytes - pools


def test_leaf_and_spine_of_one_model() -> None:
    """32 host ports of 5 m and 32 uplinks of 40 m on a leaf; 64 of 40 m on a spine."""
    leaf, spine = _rows(ROOT / "inventory" / "rail-512")
    assert (leaf["switches"], spine["switches"]) == (16, 8)
    assert leaf["headroom_bytes"] == 32 * 231_424 + 32 * 283_648
    assert spine["headroom_bytes"] == 64 * 283_648
    assert leaf["guaranteed_bytes"] == 64 * 19_456
    assert spine["free_bytes"] == beside_the_pool() - 64 * (283_648 + 19_456)
    assert beside_the_pool() // (283_648 + 19_456) > 64
    assert spine["ports_fit"] == 64


def test_a_longer_cable_lets_no_more_ports_fit(tmp_path: Path) -> None:
    """Headroom is above the share of the switch: the smallest groups that fit in it count."""
    models = {"leaf": {"sku": "QFX5240-64OD", "host_ports": 32}, "spine": {"sku": "QFX5240-64OD"}}
    cables = {"host_m": 150, "uplink_m": 150}
    folder = _changed(tmp_path, "rail-512", platforms=models, cables=cables)
    (folder / "devices").mkdir()
    (folder / "devices" / "long.yaml").write_text(
        "devices: [{names: su1-rail0, ports: {et-0/0/40: {cable_m: 2000}}}]"
    )
    first, others, *_ = _rows(folder)
    assert (first["first"], others["first"]) == ("su1-rail0", "su1-rail1")
    fit, usual = first["ports_fit"], others["ports_fit"]
    assert isinstance(fit, int)
    assert isinstance(usual, int)
    assert 0 < fit <= usual <= 64
    assert first["headroom_bytes"] != others["headroom_bytes"]


def test_what_fits_is_the_edge(tmp_path: Path) -> None:
    """One metre more than the longest cable does not fit: 64 ports, by hand from the formula."""
    (_, spine) = _rows(ROOT / "inventory" / "rail-512")
    longest = spine["cable_m_fits"]
    assert isinstance(longest, int)

    def need(cable_m: int) -> int:
        wire = 9100 + 2 * cable_m * 50e9 / 1.98e8 + 819.2 + 57_920 + 6_000
        return 64 * (-(-int(-(-(9022 + 3 * wire) // 1)) // 1024) * 1024 + 19_456)

    assert longest == 390
    assert need(longest) <= beside_the_pool() < need(longest + 1)


def test_a_shared_headroom_pool(tmp_path: Path) -> None:
    """What is promised over what the pool holds; the groups reserve nothing of their own."""
    model = "DellEMC-Z9664f-O64"
    platforms = {"leaf": {"sku": model, "host_ports": 32}, "spine": {"sku": model}}
    (leaf, spine) = _rows(_changed(tmp_path, "rail-512", platforms=platforms))
    pools = sku(model).pools
    assert pools
    assert spine["headroom_bytes"] == 64 * 424_434
    assert spine["shared_headroom_bytes"] == pools.shared_headroom_bytes
    assert spine["over_subscription"] == round(64 * 424_434 / pools.shared_headroom_bytes, 2)
    assert pools.shared_headroom_bytes // 424_434 > 64
    assert (leaf["ports_fit"], spine["ports_fit"]) == (64, 64)


def test_a_switch_without_table_is_counted_by_its_law() -> None:
    """EOS: no row, and a pool that nobody has published."""
    (leaf, _, spine) = _rows(ROOT / "inventory" / "a100-pcie")
    assert leaf["pool_bytes"] == spine["pool_bytes"] == "unknown"
    assert isinstance(leaf["headroom_bytes"], int)
    assert leaf["headroom_bytes"] > 0


def test_free_bytes_are_explained_where_the_table_has_them() -> None:
    table = buffer(Project(ROOT / "inventory" / "mixed"))
    rows = [dict(zip(table.headers, row, strict=True)) for row in table.rows]
    sentences = [sentence for sentence in table.hint.split(". ") if "free_bytes of" in sentence]
    for row in rows:
        named = any(str(row["sku"]) in sentence for sentence in sentences)
        assert named == (row["free_bytes"] != "-" and row["pool_bytes"] == "unknown"), row
    assert sum(row["free_bytes"] == "-" for row in rows) > 1


@pytest.mark.parametrize("name", ["demo", "unnumbered", "rail-512", "mixed"])
def test_a_pool_is_asked_for_where_simulate_asks_for_it(name: str) -> None:
    """Junos has a share of its buffer, which `simulate` takes."""
    project = Project(ROOT / "inventory" / name)
    unknown = [item for item in project.devices.values() if lossless_pool_bytes(item) is None]
    wanted = {device.sku.name for device in unknown if not _is_assumed(device)}
    _, _, models = buffer(project).hint.partition("`simulate` needs --buffer-mib for ")
    assert {model.split(" on ")[0] for model in models.split(", ") if model} == wanted


def _is_assumed(device: DeviceDesign) -> bool:
    try:
        return bool(assumed_pool_bytes(device, 0))
    except InputError:
        return False


def test_an_unknown_pool_has_a_reason_and_what_follows() -> None:
    project = Project(ROOT / "inventory" / "demo")
    hint = buffer(project).hint
    assert "7060X6-64PE on Arista EOS: no public source" in hint
    assert "ACS-MSN4700" not in hint
    assert "--buffer-mib" in hint
    assert "headroom_bytes is an estimate by the law of the ASIC for 7060X6-64PE on Ar" in hint
    assert "free_bytes of 7060X6-64PE is the whole buffer" in hint
    assert hint in run("show", "buffer", str(ROOT / "inventory" / "demo")).err
    (about_fits,) = buffer(Project(ROOT / "inventory" / "rail-512")).hint.split("; ")
    assert about_fits.startswith("The last columns say how far the ports ")


def test_without_pfc_nothing_is_promised(tmp_path: Path) -> None:
    (leaf, *_) = _rows(_changed(tmp_path, "rail-512", lossless={"pfc": False}))
    assert leaf["lossless_ports"] == 0
    assert leaf["headroom_bytes"] == "unknown"
    assert leaf["cable_m_fits"] == "-"


def test_a_cable_that_cannot_fit_says_so(tmp_path: Path) -> None:
    """80 km on 32 ports of 400G: a shorter one would, or one of them beside the 32 short ones."""
    model = "7060X6-64PE"
    platforms = {"leaf": {"sku": model, "host_ports": 32}, "spine": {"sku": model}}
    cables = {"host_m": 5, "uplink_m": 80_000}
    (leaf, _) = _rows(_changed(tmp_path, "rail-512", platforms=platforms, cables=cables))
    assert isinstance(leaf["free_bytes"], int)
    assert isinstance(leaf["ports_fit"], int)
    assert isinstance(leaf["cable_m_fits"], int)
    assert leaf["free_bytes"] < 0
    assert leaf["ports_fit"] == 32 + 1
    assert 0 < leaf["cable_m_fits"] < 80_000
    assert leaf["mtu_bytes_fits"] == "none"


def _computing(folder: Path, ratio: int | None = None) -> Path:
    own = {"sku": "ACS-SN5600", "buffer_model": "dynamic"}
    if ratio:
        own["headroom_over_subscription"] = ratio  # type: ignore[assignment]
    return _changed(folder, "rail-512", platforms={"leaf": {**own, "host_ports": 32}, "spine": own})


def test_a_computed_pool_is_what_the_ports_leave(tmp_path: Path) -> None:
    """All that the buffer manager takes is taken; a metre more than the longest does not fit."""
    (_, spine) = _rows(_computing(tmp_path))
    assert spine["pool_bytes"] == 65_057_280
    assert spine["free_bytes"] == 2 * 65_057_280
    longest = spine["cable_m_fits"]
    assert isinstance(longest, int)
    (_, edge) = _rows(_changed_cable(tmp_path, longest))
    (_, beyond) = _rows(_changed_cable(tmp_path, longest + 1))
    assert edge["pool_bytes"] != "none"
    assert beyond["pool_bytes"] == "none"


def _changed_cable(folder: Path, uplink_m: int) -> Path:
    data = yaml.safe_load((folder / "fabric.yaml").read_text())
    data["cables"]["uplink_m"] = uplink_m
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return folder


def test_a_computed_shared_headroom(tmp_path: Path) -> None:
    (leaf, _) = _rows(_computing(tmp_path, 2))
    assert leaf["shared_headroom_bytes"] == 8_159_232
    assert leaf["over_subscription"] == 2
    assert leaf["pool_bytes"] == 70_283_776


@pytest.mark.parametrize(
    ("ratio", "left", "xoff"), [(None, 131_818_496, None), (2, 140_567_552, 8_159_232)]
)
def test_parts_of_a_computed_buffer(
    tmp_path: Path, ratio: int | None, left: int, xoff: int | None
) -> None:
    """The parts and what is left are the buffer, as SONiC's own script adds them up."""
    table = computed(Project(_computing(tmp_path, ratio)))
    rows = {row[2]: row[4] for row in table.rows if row[1] == "su1-rail0"}
    taken = sum(row[4] for row in table.rows if row[1] == "su1-rail0" and "taken" in str(row[5]))  # type: ignore[misc]
    assert rows["left for pools"] == left
    assert taken + left == 158_229_504
    assert rows.get("ingress_lossless_pool xoff") == xoff
    assert rows["profile of 400G, 5 m, 8 lanes"] == (38_912 if ratio else 286_720)


def test_no_switch_computes() -> None:
    with pytest.raises(InputError, match="no switch computes its buffers"):
        computed(Project(ROOT / "inventory" / "rail-512"))


#: Long cables that take all of a small buffer: 16 uplinks of 10G, and 12 hosts.
LONG = {
    "platforms": {
        "leaf": {"sku": "ACS-MSN2700", "buffer_model": "dynamic", "host_ports": 16},
        "spine": {"sku": "ACS-MSN2700", "buffer_model": "dynamic"},
    },
    "speeds": {"host_gbps": 10, "uplink_gbps": 10},
    "rails": 1,
    "units": [{"name": "su1", "hosts": "gpu[001-012]"}],
    "spines": {"count": 4, "links_per_leaf": 4},
    "cables": {"host_m": 5, "uplink_m": 25_900},
    "host": {"gpus": 1, "interfaces": "eth1", "rdma_devices": "mlx5_1"},
}


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["show", "buffer"], "none"),
        (["show", "ecn"], "no shared pool: the ports take more than the buffer"),
        (["explain", "su1-rail0", "Ethernet0"], "the ports take more than the buffer"),
        (
            ["simulate", "--incast", "4", "--to", "gpu001:eth1", "--bytes", "64KiB"],
            "su1-rail0 has no shared pool",
        ),
    ],
)
def test_no_pool_is_left(tmp_path: Path, command: list[str], words: str) -> None:
    """Every command that reads the pool says so, and none goes on with a threshold below 0."""
    folder = str(_changed(tmp_path, "rail-512", **LONG))
    place = 2 if command[0] == "show" else 1
    result = CliRunner().invoke(app, [*command[:place], folder, *command[place:]])
    assert words in f"{result.output}{result.exception}"
    assert (result.exit_code == 0) is (command[0] != "simulate")


def test_a_share_for_headroom_is_what_headroom_may_take(tmp_path: Path) -> None:
    """`check` and `show buffer` judge by one figure: JUN010."""
    file = _changed(tmp_path, "rail-512") / "fabric.yaml"
    text = file.read_text().replace("ACS-SN5600", "QFX5240-64OD")
    file.write_text(re.sub("uplink_m: [0-9]+", "uplink_m: 300", text))
    spine = next(row for row in _rows(tmp_path) if str(row["first"]).startswith("spine"))
    found = check(Project(tmp_path)).findings
    finding = next(one for one in found if (one.rule, one.device) == ("JUN010", spine["first"]))
    needed, kept = (
        int(word.replace(",", "")) for word in re.findall(r"[\d,]{9,}", finding.message)[:2]
    )
    assert (spine["headroom_bytes"], spine["free_bytes"]) == (needed, kept - needed)
    assert spine["cable_m_fits"] == 57


def test_no_more_fits_than_the_system_takes(tmp_path: Path) -> None:
    """Lossless cables of Enterprise SONiC end at 300 m (ESO002), its MTU at 9216."""
    words = ("--design", "rail-optimised", "--hosts", "20", "--leaf", "Z9664F-ON")
    assert run("init", tmp_path / "mine", *words).code == 0
    shown = buffer(Project(tmp_path / "mine"))
    places = [shown.headers.index(name) for name in ("cable_m_fits", "mtu_bytes_fits")]
    assert {tuple(row[place] for place in places) for row in shown.rows} == {(300, 9216)}
