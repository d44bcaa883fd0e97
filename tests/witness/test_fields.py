"""Each field of the inventory, and each of its listed values, is in some setting."""

from __future__ import annotations

from pathlib import Path

from fabric.core.errors import FabricError
from fabric.intent.device_model import DevicesFile
from fabric.intent.host_model import HostsFile
from fabric.intent.inventory import load
from fabric.intent.model import FabricFile
from tests.witness.fields import said, sayable
from tests.witness.settings import SETTINGS
from tests.witness.systems import SYSTEMS, write

#: Models and fields that no line of a switch follows from.
ELSEWHERE = {
    "HostProfile": "hosts",
    "HostTraits": "hosts",
    "NicTraits": "hosts",
    "GpuTraits": "hosts",
    "Tuning": "hosts",
    "ReceiveBuffers": "hosts",
    "HostOverride.traits": "hosts",
    "NicOverride.port_uuid": "hosts",
    "FabricFile.kubernetes": "manifests",
    "FabricFile.rollout": "the order of a change",
    "FabricFile.drift": "repairs",
    "FabricFile.tenancy": "tenants.py",
    "FabricFile.tenants": "tenants.py",
    "Tenancy": "tenants.py",
    "Tenant": "tenants.py",
    "Cables.host_type": "parts lists",
    "Cables.uplink_type": "parts lists",
    "Cables.core_type": "parts lists",
    "PortOverride.cable_type": "parts lists",
    "NicOverride.cable_type": "parts lists",
    "DeviceOverride.rack": "labels",
    "DeviceOverride.rack_unit": "labels",
    "HostOverride.rack": "labels",
    "HostOverride.rack_unit": "labels",
    "DeviceOverride.management_address": "DHCP",
    "DeviceOverride.management_mac": "DHCP",
    "HostOverride.bmc_address": "DHCP",
    "HostOverride.bmc_mac": "DHCP",
    "HostOverride.management_address": "DHCP",
    "HostOverride.management_mac": "DHCP",
    "Management.network": "DHCP",
    "ManagementNetwork": "DHCP",
    "Management.images": "boot",
    "Image": "boot",
    "FabricFile.waivers": "findings",
    "FabricFile.severity": "findings",
    "DevicesFile": "a list and nothing else",
    "HostsFile": "a list and nothing else",
    "Kubernetes": "manifests",
    "Rollout": "the order of a change",
    "Canary": "the order of a change",
    "Window": "the order of a change",
    "Gates": "the order of a change",
    "Drain": "the order of a change",
    "Jobs": "the order of a change",
    "Drift": "repairs",
    "Waiver": "findings",
    "SeverityChange": "findings",
}


def test_every_field_has_a_setting(tmp_path: Path) -> None:
    """A new field, or a new value of a list, needs a row in `SETTINGS`."""
    present: set[str] = set()
    for number, setting in enumerate(SETTINGS.values()):
        folder = tmp_path / str(number)
        for system in SYSTEMS.values():
            write(folder / system.name, system, setting)
            try:
                intent = load(folder / system.name)
            except FabricError:
                continue
            present |= said(intent.fabric)
            for located in (*intent.devices, *intent.hosts):
                present |= said(located.value)
            break
    missing = {
        name
        for name in sayable(FabricFile, DevicesFile, HostsFile) - present
        if name.partition(":")[0] not in ELSEWHERE and name.partition(".")[0] not in ELSEWHERE
    }
    assert not missing, "no setting in tests/witness/settings.py has " + ", ".join(sorted(missing))
