"""The commands on a fabric of real switches with 131,072 NICs, each as a process. Prints only."""

from __future__ import annotations

import os
import re
import shutil
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.bench.figures import Figures
from tests.bench.process import Taken, run

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.benchmark

#: SN5600 with every cage split into two ports of 400G: leaves have 64 host ports and 64 uplinks,
#: spines 64 ports down and 64 up, super-spines 128 ports.
INVENTORY = """\
name: rail-{nics}
design: rail-optimised
rails: 8
units:
{units}
spines: {{count: 64, links_per_leaf: 1}}
super_spines: {{count: 1024, groups: 64, links_per_spine: 4, spines_per_pod: 64}}
platforms:
  leaf: {{sku: ACS-SN5600, host_ports: 64, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
  spine: {{sku: ACS-SN5600, down_ports: 64, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
  super_spine: {{sku: ACS-SN5600, breakouts: [{{cages: "1-64", mode: 2x400G}}]}}
speeds: {{host_gbps: 400, uplink_gbps: 400, core_gbps: 400}}
cables: {{host_m: 5, uplink_m: 40, core_m: 300}}
addressing:
  loopbacks: 10.255.0.0/16
  uplinks: 10.200.0.0/13
  core_links: 10.208.0.0/13
  core_links_per_spine: 64
  hosts: 10.0.0.0/9
  host_prefix_length: 25
bgp: {{leaf_asn_first: 4200000000, pod_asn_first: 64600, super_spine_asn: 64512}}
host:
  gpus: 8
  interfaces: eth[1-8]
  rdma_devices: mlx5_[1-8]
"""
UNITS_PER_POD, HOSTS_PER_UNIT, RAILS = 8, 64, 8
#: Ports of a super-spine, and how many of them a spine takes where the pods leave it so many.
CORE_PORTS, CORE_LINKS = 128, 4
SIZES = (1, 8, 32)
#: More pods than any of SIZES: with fewer links to each of more super-spines; then too many.
LARGER, TOO_MANY = (64, 128), 256
#: Fabrics of a pod each in one site.
SITES = (1, 2)
#: Fabrics of the largest of SIZES that have more than a million NICs together.
MILLION = 8
COMMANDS = {
    "check": "check {folder} --cache {out}/cache",
    "whatif, all links and switches": "whatif {folder} --all-links --all-switches",
    "show capacity": "show capacity {folder}",
    "show paths": "show paths {folder}",
    "show deadlock": "show deadlock {folder}",
    "draw": "draw {folder} --out {out}/drawing.svg",
    "render": "render {folder} --cache {out}/cache --out {out}/files",
}
#: Again, with what is kept of the first time, after one port of one leaf got a description.
CHANGED = {
    "check, one line changed": COMMANDS["check"],
    "render, one line changed": COMMANDS["render"],
}
ONE_LINE = "devices:\n  - {names: p01u1-rail0, ports: {Ethernet0: {description: spare}}}\n"
#: Commands on one fabric that is larger than all of SIZES, the first alone where it is larger yet;
#: the others take minutes there.
QUICK = ("show paths", "show capacity", "whatif, all links and switches")


def write(folder: Path, pods: int, name: str = "") -> Path:
    """Write the inventory of so many pods of 512 hosts.

    Parameters
    ----------
    folder : Path
        The inventory folder; it is made.
    pods : int
        Up to 32 leave a spine four links to each super-spine that it has.
    name : str
        Before the names of switches and hosts, for several fabrics of one site.
    """
    units, first = [], 1
    for pod in range(1, pods + 1):
        for unit in range(1, UNITS_PER_POD + 1):
            hosts = f"{name}gpu[{first:05d}-{first + HOSTS_PER_UNIT - 1:05d}]"
            units.append(f'  - {{name: p{pod:02d}u{unit}, pod: p{pod:02d}, hosts: "{hosts}"}}')
            first += HOSTS_PER_UNIT
    folder.mkdir(parents=True)
    text = INVENTORY.format(nics=RAILS * (first - 1), units="\n".join(units))
    links = min(CORE_LINKS, max(1, CORE_PORTS // pods))
    text = text.replace("count: 1024", f"count: {1024 * CORE_LINKS // links}")
    text = text.replace("links_per_spine: 4", f"links_per_spine: {links}")
    if links == 1:  # a /31 for each of 524,288 links, twice
        text = text.replace("10.200.0.0/13", "10.192.0.0/12")
        text = text.replace("10.208.0.0/13", "10.208.0.0/12")
    if name:
        text = text.replace("speeds:", f"switch_prefix: {name}\nspeeds:")
    (folder / "fabric.yaml").write_text(text, encoding="utf-8")
    return folder


def _hosts(pods: int) -> int:
    return pods * UNITS_PER_POD * HOSTS_PER_UNIT


def _measure(figures: Figures, part: str, title: str, words: str, **what: object) -> Taken:
    """Run a command, print what it took, and keep it as a row of a part."""
    taken = run(words.split(), codes=(0, 2, 4))
    print(f"  {title:<34}{taken.elapsed_s:>10.1f}{taken.cpu_s:>10.1f}{taken.peak_mib:>10.0f}")
    figures[part].append(
        {"command": title, **what}
        | {"elapsed_s": round(taken.elapsed_s, 2), "cpu_s": round(taken.cpu_s, 2)}
        | {"peak_mib": round(taken.peak_mib), "code": taken.code}
    )
    return taken


def _head(title: str) -> None:
    print(f"\n{title}; {os.cpu_count()} processors")
    print(f"  {'':<34}{'elapsed s':>10}{'CPU s':>10}{'peak MiB':>10}")


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder whose files go in the end: ext4 is slow to reuse what has just been freed."""
    folder = tmp_path_factory.mktemp("disk")
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("pods", SIZES)
def test_commands(disk: Path, figures: Figures, pods: int) -> None:
    place = disk / str(pods)
    folder = write(place / "inventory", pods)
    _head(f"{_hosts(pods):,} hosts, {RAILS * _hosts(pods):,} NICs of real switches")
    for title, words in {**COMMANDS, **CHANGED}.items():
        if title in CHANGED and not (folder / "devices").exists():
            (folder / "devices").mkdir()
            (folder / "devices" / "one.yaml").write_text(ONE_LINE, encoding="utf-8")
        line = words.format(folder=folder, out=place)
        taken = _measure(figures, "commands", title, line, hosts=_hosts(pods))
        assert taken.code in (0, 4), taken.error
        if title == "render":
            figures["commands"][-1] |= _stored(place)


def _stored(folder: Path) -> dict[str, int]:
    """Return how much of the disk the rendered files and the cache take."""
    files = [path for path in (folder / "files").rglob("*") if path.is_file()]
    cache = [path for path in (folder / "cache").rglob("*") if path.is_file()]
    sizes = [sum(path.stat().st_size for path in part) >> 20 for part in (files, cache)]
    return {"files": len(files), "files_mib": sizes[0], "cache_mib": sizes[1]}


@pytest.mark.parametrize("pods", [*LARGER, TOO_MANY])
def test_larger_fabrics(tmp_path: Path, figures: Figures, pods: int) -> None:
    """What one fabric takes beyond the largest size, and what says that it is too large."""
    folder = write(tmp_path / "inventory", pods)
    _head(f"{_hosts(pods):,} hosts, {RAILS * _hosts(pods):,} NICs")
    for title in QUICK if pods == LARGER[0] else QUICK[:1]:
        line = COMMANDS[title].format(folder=folder, out=tmp_path)
        taken = _measure(figures, "larger", title, line, hosts=_hosts(pods))
        assert taken.code in (0, 4) or pods == TOO_MANY, taken.error
    if pods == TOO_MANY:
        errors = re.findall(r"^\S+?: (fabric\.\S+: .* \[\w+\])$", taken.error, re.MULTILINE)
        print("\n".join(f"  {error}" for error in errors))
        figures["larger"][-1]["errors"] = errors


def _site(folder: Path, fabrics: int, pods: int) -> Path:
    """Write fabrics of up to 32 pods with pools of their own: three /14 and a /18 of loopbacks."""
    whole = ip_network("10.0.0.0/8")
    links, loops = whole.subnets(new_prefix=14), ip_network("10.252.0.0/14").subnets(new_prefix=18)
    for number in range(1, fabrics + 1):
        inventory = write(folder / "fabrics" / f"f{number}", pods, f"f{number}")
        text = (inventory / "fabric.yaml").read_text(encoding="utf-8")
        for pool in ("uplinks: 10.200.0.0/13", "core_links: 10.208.0.0/13", "hosts: 10.0.0.0/9"):
            text = text.replace(f" {pool}", f" {pool.partition(' ')[0]} {next(links)}")
        text = text.replace("loopbacks: 10.255.0.0/16", f"loopbacks: {next(loops)}")
        (inventory / "fabric.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("fabrics", SITES)
def test_site(tmp_path: Path, figures: Figures, fabrics: int) -> None:
    """Several fabrics of 512 hosts each, checked by one command."""
    site = _site(tmp_path / "site", fabrics, 1)
    _head(f"a site of {fabrics} fabrics of {_hosts(1):,} hosts")
    hosts = fabrics * _hosts(1)
    taken = _measure(figures, "sites", "check SITE", f"check {site} --fresh", hosts=hosts)
    assert taken.code in (0, 4), taken.error


def test_a_million_nics(tmp_path: Path, figures: Figures) -> None:
    """Eight fabrics of the largest size in one site."""
    site = _site(tmp_path / "site", MILLION, SIZES[-1])
    hosts = MILLION * _hosts(SIZES[-1])
    _head(f"a site of {MILLION} fabrics, {RAILS * hosts:,} NICs")
    for title in ("show topology SITE", "show capacity SITE/fabrics/f1"):
        line = title.replace("SITE", str(site))
        taken = _measure(figures, "million", title, line, hosts=hosts)
        assert taken.code == 0, taken.error
