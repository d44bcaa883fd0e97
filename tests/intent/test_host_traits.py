"""What a host is like: the profile of the fabric, and what single hosts say beside it."""

from __future__ import annotations

import re

import pytest
from pydantic import ValidationError

from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile, HostTraits, NicOverride, NicTraits
from fabric.intent.inventory import load
from fabric.intent.model import FabricFile
from fabric.intent.scalars import FORMS
from fabric.intent.sku_model import PlatformsFile
from fabric.topology.naming import rails_of_gpus
from tests.change import labs
from tests.cli.runs import DEMO, process

PROFILE = "host: {gpus: 1, interfaces: eth1, rdma_devices: mlx5_1}"
TOLD = """\
host:
  gpus: 1
  interfaces: eth1
  rdma_devices: mlx5_1
  network_stack: networkd
  nic: {model: ConnectX-7, driver: mlx5, pci_addresses: ["0000:18:00.0"]}
"""
HOSTS = """\
hosts:
  - {names: gpu1, traits: {nic: {driver: mlx5-ofed}, virtual_machine: true}}
  - {names: gpu1, traits: {tuning: {acs: "off"}}}
"""


@pytest.fixture
def intent(tmp_path):
    folder = labs.write_inventory(
        tmp_path / "inventory",
        labs.INVENTORY.replace("hosts: gpu1}", 'hosts: "gpu[1-2]"}').replace(PROFILE, TOLD),
    )
    (folder / "hosts").mkdir()
    (folder / "hosts" / "some.yaml").write_text(HOSTS)
    return load(folder)


def test_overrides_lie_over_the_profile_field_by_field(intent):
    one, two = intent.host_traits("gpu1"), intent.host_traits("gpu2")
    assert (one.nic.driver, two.nic.driver) == ("mlx5-ofed", "mlx5")
    assert one.nic.model == two.nic.model == "ConnectX-7"
    assert one.nic.pci_addresses == ("0000:18:00.0",)
    assert (one.virtual_machine, two.virtual_machine) == (True, False)
    assert (one.tuning.acs, two.tuning.acs) == ("off", None)
    assert one.network_stack == two.network_stack == "networkd"


@pytest.mark.parametrize(
    ("near", "gpus", "rails", "expected"),
    [
        ((), 8, 8, (0, 1, 2, 3, 4, 5, 6, 7)),
        ((), 8, 2, (0, 0, 0, 0, 1, 1, 1, 1)),
        ((), 8, 1, (0,) * 8),
        (((7,), (6,), (5,), (4,), (3,), (2,), (1,), (0,)), 8, 8, (7, 6, 5, 4, 3, 2, 1, 0)),
        (((1, 3), (0, 2)), 4, 2, (1, 0, 1, 0)),
        (((1,), (0,), (2,)), 3, 2, (1, 0, 1)),
    ],
)
def test_the_rail_of_a_gpu_is_told_or_follows_in_order(near, gpus, rails, expected):
    traits = HostTraits(nic=NicTraits(gpus=near))
    assert rails_of_gpus(traits, gpus, rails) == expected


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"pci_addresses": ("18:00.0",)}, "'18:00.0' is not a PCI address; use the form 0000:4b"),
        ({"pci_addresses": ("0000:18:00.0; reboot",)}, "is not a PCI address"),
        ({"driver": "mlx4"}, "mlx5-ofed"),
        ({"link_layer": "roce_v1"}, "infiniband"),
        ({"virtual_functions": 128}, "127"),
    ],
)
def test_bad_values_are_refused(fields, words):
    with pytest.raises(ValidationError, match=words.replace("(", r"\(")):
        NicTraits(**fields)


@pytest.mark.parametrize("version", ["2.12", "2.21.5", "2.30.7"])
def test_versions_of_nccl(version):
    assert HostTraits(nccl_version=version).nccl_version == version


@pytest.mark.parametrize("version", ["1.9", "2", "2.x", "2.21.5-1", "2.21 "])
def test_what_is_no_version_of_nccl(version):
    with pytest.raises(ValidationError):
        HostTraits(nccl_version=version)


SIGNS = re.compile(r"\[[a-zA-Z0-9]-|\^|\$|\\|\{\d")


def patterns(schema: object) -> set[str]:
    """Return the patterns of a JSON Schema."""
    if isinstance(schema, list):
        return set().union(*map(patterns, schema))
    if not isinstance(schema, dict):
        return set()
    own = {schema["pattern"]} if isinstance(schema.get("pattern"), str) else set()
    return own | set().union(*map(patterns, schema.values()))


@pytest.mark.parametrize("model", [FabricFile, DevicesFile, HostsFile, PlatformsFile])
def test_every_pattern_has_words(model) -> None:
    used = patterns(model.model_json_schema())
    assert used
    assert used <= set(FORMS)


def test_the_words_are_no_pattern() -> None:
    assert not [words for words in FORMS.values() if SIGNS.search(words)]


def test_a_message_has_no_pattern(tmp_path) -> None:
    text = (DEMO / "fabric.yaml").read_text()
    old = "sku: ACS-MSN4700"
    assert old in text
    folder = tmp_path / "inv"
    folder.mkdir()
    new = f"{old}, breakouts: [{{cages: '1', mode: two}}]"
    (folder / "fabric.yaml").write_text(text.replace(old, new, 1))
    ended = process("check", "inv", cwd=tmp_path)
    assert ended.code == 2
    assert "use number of ports and their speed, such as 2x400G [INT016]" in ended.err


@pytest.mark.parametrize("number", [0, 1])
def test_a_number_as_port_of_the_leaf_is_meant_to_be_that_of_the_nic(number: int) -> None:
    with pytest.raises(ValidationError, match=f"for the port of the NIC use nic_port: {number}"):
        NicOverride.model_validate({"rail": 0, "port": number})
    assert NicOverride.model_validate({"rail": 0, "port": str(number)}).port == str(number)
