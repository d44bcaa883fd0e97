"""A host of the lab, for tests of what it answers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from fabric.lab.clock import LabClock
from fabric.systems.host.lab import HostStandIn
from tests.lab.conftest import host_spec


@pytest.fixture
def host() -> Iterator[HostStandIn]:
    """Return a host without its SSH server; commands run as root."""
    device = HostStandIn(host_spec(), LabClock())
    yield device
    device.fs.close()
