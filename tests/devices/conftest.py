"""A lab of one SONiC leaf, one EOS spine and one host, for all tests of the drivers."""

from __future__ import annotations

import dataclasses

import pytest

from fabric.devices import drivers
from fabric.devices.driver import Connection
from fabric.lab.lab import Lab
from fabric.lab.wiring import specs, wire
from fabric.workflow.project import Project
from tests.change import labs

PASSWORD = "hunter2-of-the-lab"
#: What a test may leave on a device, and the next one must not see.
LEFTOVERS = "/tmp/rocefab-* /var/lib/rocefab/* /etc/systemd/system/rocefab-run-*"


@pytest.fixture(scope="session")
def whole_lab(tmp_path_factory):
    project = Project(labs.write_inventory(tmp_path_factory.mktemp("inventory")))
    with Lab(specs(project.devices, project.hosts, PASSWORD)) as lab:
        wire(lab, project.devices)
        yield lab


@pytest.fixture
def lab(whole_lab):
    yield whole_lab
    for name in whole_lab.names():
        whole_lab[name].faults.clear()
        if hasattr(whole_lab[name], "run_detached"):
            whole_lab[name].run_detached(f"rm -rf {LEFTOVERS}")


@pytest.fixture
def connection(lab):
    """Return a function from a name to the connection; keywords replace its fields."""

    def made(name, **changes):
        stand_in = lab[name]
        platform = stand_in.spec.platform
        trust = stand_in.trust
        found = Connection(
            name,
            platform,
            stand_in.address,
            stand_in.port,
            stand_in.spec.username,
            PASSWORD,
            trust,
        )
        return dataclasses.replace(found, **changes)

    return made


@pytest.fixture
def driver(connection):
    """Return a function that opens the driver of a device."""
    opened = []

    def made(name, **changes):
        wanted = connection(name, **changes)
        found = drivers[wanted.platform](wanted)
        opened.append(found)
        found.open()
        return found

    yield made
    for found in opened:
        found.close()
