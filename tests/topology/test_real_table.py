"""The example with eight /27 networks has the addresses of a host that was really built so."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabric.design.host import HostDesigner
from fabric.design.host_model import HostDesign
from fabric.intent.resolve import PolicyResolver
from fabric.systems.host.parsers import ipv4_roce_v2, show_gids
from tests.reference import reference
from tests.topology.fabrics import example

SAMPLE = Path(__file__).parents[1] / "observe" / "samples" / "show_gids.txt"
RECORDED = "fixtures/host/show_gids.a100-8xroce.spaces.txt"


@pytest.fixture(params=["sample", "recorded"])
def table(request: pytest.FixtureRequest) -> str:
    """Return the table of our own sample, and the recorded one where it is."""
    if request.param == "sample":
        return SAMPLE.read_text(encoding="utf-8")
    return reference(RECORDED).read_text(encoding="utf-8")


def _host() -> HostDesign:
    built = example("eight-slash-27")
    return HostDesigner(built, PolicyResolver(built.intent)).design(built.host_row["node001"])


def test_device_by_device(table: str) -> None:
    """RDMA device, interface, address, and the GID that is chosen by its content."""
    gids = show_gids(table)
    nics = _host().nics
    assert [nic.rdma_device for nic in nics] == [f"mlx5_{number}" for number in range(1, 9)]
    for nic in nics:
        chosen = ipv4_roce_v2(gids, nic.rdma_device)
        assert chosen is not None
        assert (chosen.address, chosen.interface) == (nic.address, nic.interface)
        assert (chosen.index, chosen.version) == (3, "v2")


def test_the_management_nic_is_none_of_the_rails(table: str) -> None:
    """It has a GID of its own that jobs must leave alone."""
    host = _host()
    chosen = ipv4_roce_v2(show_gids(table), host.management_rdma_device)
    assert chosen is not None
    assert chosen.interface == host.management_interface
    assert chosen.address not in {nic.address for nic in host.nics}
