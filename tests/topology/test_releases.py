"""Which release runs on which switch: that of its role, or what an override says."""

from __future__ import annotations

from fabric.render import render_device
from tests.render.designs import variant

ROLE = {"sku: ACS-MSN4700": 'sku: ACS-MSN4700, release: "202405"'}
OVERRIDES = """\
devices:
  - {names: su1-rail0, release: "202505"}
  - {names: su1-rail1, sku: ACS-SN5600}
"""


def test_release_of_the_role_and_of_overrides(tmp_path):
    result = variant(tmp_path / "inventory", "demo", ROLE, OVERRIDES)
    releases = {name: design.sku.release for name, design in result.items()}
    assert releases == {
        "su1-rail0": "202505",
        "su1-rail1": "",  # another model may be of another system
        "su2-rail0": "202405",
        "su2-rail1": "202405",
        "spine01": "",
        "spine02": "",
    }
    assert result["su2-rail0"].sku is result["su2-rail1"].sku  # one model, one set of headrooms


def test_release_counts_with_split_cages(tmp_path):
    split = ', breakouts: [{cages: "32", mode: 2x200G}]'
    changes = {"sku: ACS-MSN4700": f'sku: ACS-MSN4700, release: "202405"{split}'}
    leaf = variant(tmp_path / "inventory", "demo", changes)["su1-rail0"]
    assert (leaf.sku.release, leaf.sku.port_count) == ("202405", 33)


def test_cumulus_writes_the_words_of_the_release(tmp_path):
    changes = {"sku: ACS-MSN4700": 'sku: SN4700, release: "5.15"'}
    leaf = variant(tmp_path / "inventory", "demo", changes)["su1-rail0"]
    assert "nv set system ntp server 192.0.2.10" in render_device(leaf)[0].text
