"""The lossless budget of a port, at both ends of its cable."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from fabric.cli.app import app
from fabric.platforms.catalogue import sku
from fabric.report.budget import find_port, port_budget
from fabric.workflow.check import check
from fabric.workflow.project import Project

ROOT = Path(__file__).parents[2]
RUN = CliRunner()


@cache
def project(name: str) -> Project:
    return Project(ROOT / "inventory" / name)


def rows(of: Project, device: str, name: str) -> dict[tuple[str, str], tuple[str, str]]:
    port = find_port(of, device, name)
    assert port
    table = port_budget(of, of.devices[device], port)
    assert table.headers == ("part", "item", "value", "how")
    return {(str(part), str(item)): (str(value), str(how)) for part, item, value, how in table.rows}


def test_host_port_with_a_table() -> None:
    """The sum of the law stands beside the row of the vendor."""
    result = rows(project("rail-512"), "su1-rail0", "Ethernet0")
    terms = {item: value for (part, item), (value, how) in result.items() if part == "headroom"}
    # 3 * (9,100 + 2,525.25 + 819.2 + 57,920 + 6,000) + 9,022 = 238,115; 233 KiB
    assert terms["by the law"] == "238,592 bytes"
    assert terms["in the table"] == "231,424 bytes"
    assert terms["cable, both ways"] == "2,525 bytes"
    assert terms["at least"] == f"{9_100 + 84 + 2_500 + 9_022:,} bytes"
    assert terms["with response"] == f"{9_100 + 84 + 2_500 + 57_920 + 9_022:,} bytes"
    assert terms["verdict"] == "enough for large frames"
    row = sku("ACS-SN5600").headroom[400_000, 5]
    assert result["threshold", "XON"][0] == f"{row.xon_threshold_bytes:,} bytes"
    assert result["threshold", "XOFF, one group"][0] == "26,080,845 bytes"
    assert result["ecn", "Kmin"][0] == "150,000 bytes"
    assert result["watchdog", "detection"] == ("drop, after 400 ms", "polls every 200 ms")
    assert result["watchdog", "longest pause of one frame"][0] == "83.9 us"


def test_the_length_of_a_row_is_not_that_of_the_law(tmp_path: Path) -> None:
    """A cable of 20 m has the row of 40 m, and its own figures by the law."""
    folder = shutil.copytree(ROOT / "inventory" / "rail-512", tmp_path / "a")
    file = folder / "fabric.yaml"
    file.write_text(re.sub(r"host_m: \d+", "host_m: 20", file.read_text()))
    result = rows(Project(folder), "su1-rail0", "Ethernet0")
    assert " of 40 m" in result["headroom", "in the table"][1]
    assert " m" not in result["headroom", "by the law"][1]


@pytest.mark.parametrize(
    ("uplink_m", "verdict", "of_the_switch"),
    [
        (30, "enough", "33,700,800 bytes: enough"),
        (300, "enough; for this port alone", "33,700,800 bytes: too small if all pause at once"),
    ],
)
def test_all_ports_of_a_switch_are_judged_as_by_the_check(
    tmp_path: Path, uplink_m: int, verdict: str, of_the_switch: str
) -> None:
    """Whether a port has enough says nothing of a share for all ports: JUN010."""
    text = (ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text()
    text = re.sub("uplink_m: [0-9]+", f"uplink_m: {uplink_m}", text)
    (tmp_path / "fabric.yaml").write_text(text.replace("ACS-SN5600", "QFX5240-64OD"))
    mine = Project(tmp_path)
    result = rows(mine, "spine01", "et-0/0/0")
    estimate = ", as estimated by the law; not configured (QOS050)"
    assert result["headroom", "verdict"][0].replace(estimate, "") == verdict
    assert result["headroom", "of the switch"][0] == of_the_switch
    found = any((one.rule, one.device) == ("JUN010", "spine01") for one in check(mine).findings)
    assert found is ("too small" in of_the_switch)


@pytest.mark.parametrize(("vendor", "driver"), [("broadcom", "bnxt"), ("amd", "ionic")])
def test_a_nic_whose_firmware_sizes_its_buffers(tmp_path: Path, vendor: str, driver: str) -> None:
    """The formula is that of mlx5 alone."""
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    data["host"]["nic"] = {"vendor": vendor, "driver": driver}
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    result = rows(Project(tmp_path), "su1-rail0", "Ethernet0")
    assert result["gpu001 NIC", "headroom"][0] == "unknown"
    assert driver in result["gpu001 NIC", "headroom"][1]
    assert ("gpu001 NIC", "XOFF") not in result


def test_a_law_is_called_an_estimate() -> None:
    """EOS has no table; the one known table of the silicon keeps less."""
    result = rows(project("a100-pcie"), "rack1-leaf", "Ethernet1/1")
    words = "enough, as estimated by the law; not configured (QOS050)"
    assert result["headroom", "verdict"][0] == words
    assert result["headroom", "other tables"][0] == "75,366 bytes at 5 m (1 model)"


def test_a_computed_pool(tmp_path: Path) -> None:
    """The formula is that of the switch, so that the verdict is no estimate."""
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    data["platforms"]["leaf"] |= {"buffer_model": "dynamic", "headroom_over_subscription": 2}
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    result = rows(Project(tmp_path), "su1-rail0", "Ethernet0")
    assert result["headroom", "verdict"][0] == "enough"
    assert result["threshold", "computed pool"][0] == "70,283,776 bytes"
    assert result["threshold", "shared headroom"][0] == "8,159,232 bytes"
    assert result["threshold", "XOFF, one group"][0] == "35,141,888 bytes"


def test_the_nic_at_the_other_end() -> None:
    """(301 + 216 * 5 / 100) * 400 + 272 * 9000 / 100, with whole numbers."""
    result = rows(project("rail-512"), "su1-rail0", "Ethernet0")
    need = (301 + 10) * 400 + 24_480
    assert result["gpu001 NIC", "headroom"][0] == f"{need:,} bytes"
    assert result["gpu001 NIC", "minimum buffer"][0] == f"more than {need + 9_000:,} bytes"


def test_uplink_shows_the_switch_at_the_other_end() -> None:
    """An EOS spine has no table: the law of its ASIC stands for it, its pool is unknown."""
    result = rows(project("demo"), "su1-rail0", "Ethernet128")
    assert result["headroom", "in the table"][0] == "77,824 bytes"
    assert result["headroom", "verdict"][0].startswith("smaller than IEEE 802.3")
    assert result["spine01 headroom", "in the table"][0] == "none"
    assert result["spine01 headroom", "by the law"][1].startswith("law xgs in steps of 254")
    assert result["spine01 threshold", "XOFF"][0] == "unknown"


def test_terms_and_factors_give_the_sum() -> None:
    for name, device, port in (
        ("rail-512", "spine01", "Ethernet0"),
        ("demo", "spine01", "Ethernet1/1"),
        ("a100-pcie", "rack1-leaf", "Ethernet1/1"),
    ):
        result = rows(project(name), device, port)
        law = result["headroom", "by the law"]
        total = 0.0
        for (part, _), (value, how) in result.items():
            if part == "headroom" and (how.startswith("x ") or how == "once"):
                factor = float(how.removeprefix("x ")) if how != "once" else 1.0
                total += factor * int(value.removesuffix(" bytes").replace(",", ""))
        assert int(law[0].removesuffix(" bytes").replace(",", "")) == pytest.approx(total, rel=0.01)


def _changed(folder: Path, **lossless: object) -> Project:
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    data["lossless"].update(lossless)
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data))
    return Project(folder)


def test_without_pfc_there_is_no_headroom(tmp_path: Path) -> None:
    result = rows(_changed(tmp_path, pfc=False), "su1-rail0", "Ethernet0")
    assert result["headroom", "none"] == ("-", "PFC is off on this port")


def test_without_watchdog(tmp_path: Path) -> None:
    result = rows(_changed(tmp_path, watchdog={"enabled": False}), "su1-rail0", "Ethernet0")
    assert ("watchdog", "off") in result


def test_a_port_that_is_not_used_has_no_budget() -> None:
    """Its lines are explained instead."""
    of = project("demo")
    unused = next(port for port in of.devices["su1-rail0"].ports if port.kind == "unused")
    assert find_port(of, "su1-rail0", unused.name) is None
    assert find_port(of, "gpu001", "eth1") is None
    assert find_port(of, "nobody", "Ethernet0") is None


def test_command_line() -> None:
    folder = str(ROOT / "inventory" / "rail-512")
    text = RUN.invoke(app, ["explain", folder, "su1-rail0", "Ethernet0"])
    assert text.exit_code == 0
    assert "response of the peer" in text.stdout
    answer = RUN.invoke(app, ["explain", folder, "su1-rail0", "Ethernet0", "--format", "json"])
    assert {"part", "item", "value", "how"} == set(json.loads(answer.stdout)[0])


def test_the_inventory_may_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    folder = ROOT / "inventory" / "rail-512"
    monkeypatch.chdir(folder)
    near = RUN.invoke(app, ["explain", "su1-rail0", "Ethernet0"])
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("ROCEFAB_INVENTORY", str(folder))
    far = RUN.invoke(app, ["explain", "su1-rail0", "Ethernet0"])
    assert near.stdout == far.stdout
    assert "bandwidth-delay product" in far.stdout
    one = RUN.invoke(app, ["explain", "su1-rail0"])
    assert one.exit_code == 0


@pytest.mark.parametrize("words", [["a", "b", "c", "d"], ["inventory/rail-512", "a", "b", "c"]])
def test_too_many_words(words: list[str]) -> None:
    assert RUN.invoke(app, ["explain", *words]).exit_code == 2


def test_the_response_of_each_end_is_explained(tmp_path: Path) -> None:
    """Spine and NIC by the inventory, the leaf by IEEE 802.3; 6 us at 400G are 300,000 bytes."""
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    data["platforms"]["spine"]["pause_response_ns"] = 6000
    data["platforms"]["leaf"]["pause_response_ns"] = 2000
    data["host"].setdefault("nic", {})["pause_response_ns"] = 3000
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    late = Project(tmp_path)
    up, down = rows(late, "su1-rail0", "Ethernet256"), rows(late, "su1-rail0", "Ethernet0")
    assert up["headroom", "with response"] == (
        f"{9_100 + 84 + 20_000 + 9_022 + 300_000:,} bytes",
        "spine01 takes 6,000 ns: platforms.spine.pause_response_ns",
    )
    assert up["headroom", "verdict"][0] == "too small: this peer stops later"
    assert up["spine01 headroom", "with response"][1].startswith("su1-rail0 takes 2,000 ns")
    assert (
        down["headroom", "with response"][1] == "gpu001 takes 3,000 ns: host.nic.pause_response_ns"
    )
    nic = down["gpu001 NIC", "with response"]
    assert nic == (
        f"{9_100 + 84 + 2_500 + 9_022 + 100_000:,} bytes",
        "su1-rail0 takes 2,000 ns: platforms.leaf.pause_response_ns",
    )


def test_the_time_at_800g_is_named(tmp_path: Path) -> None:
    data = yaml.safe_load((ROOT / "inventory" / "rail-512" / "fabric.yaml").read_text())
    data["speeds"] = {"host_gbps": 800, "uplink_gbps": 800}
    (tmp_path / "fabric.yaml").write_text(yaml.safe_dump(data))
    how = rows(Project(tmp_path), "su1-rail0", "Ethernet0")["headroom", "with response"][1]
    assert how.endswith("at 800G switches use the quanta of 400G, which halves the time: 579 ns")
