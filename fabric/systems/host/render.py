"""Hosts: addresses, kernel settings, a script that puts everything into force, and its units."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from fabric.core.artefact import Artefact
from fabric.design.host_kernel import kernel_parameters, sysctl_file
from fabric.render.engine import render
from fabric.systems.host.dcb_words import dcb_words
from fabric.systems.host.firmware import firmware_words
from fabric.systems.host.parsers.settings import TO_PROC
from fabric.systems.host.state import expected_state, reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.host_model import HostDesign, NicDesign

#: What brings addresses and routes into force, by network stack.
STACKS = {
    "netplan-networkd": "netplan",
    "netplan-networkmanager": "networkmanager",
    "networkd": "networkd",
    "networkmanager": "networkmanager",
}
#: Drivers with a tool or a tree of their own, and what the head of the script says of them.
DRIVERS = {
    "mlx5-ofed": ("nic_mlx5_ofed", ()),
    "mlx5": (
        "nic_mlx5",
        (
            "The driver of the kernel cannot turn on DCQCN for one priority: mlxconfig does that",
            "(ROCE_CC_PRIO_MASK_P1). It cannot mark packets of all queue pairs: set NCCL_IB_TC in",
            "the jobs.",
        ),
    ),
    "bnxt": (
        "nic_bnxt",
        (
            "Beta: the options are those of Broadcom's bnxt_setupcc.sh 236.1.155.0, and were tried",
            "on no NIC.",
        ),
    ),
    "ionic": (
        "nic_ionic",
        (
            "Beta: the commands are those of public AMD Pensando guides, with the DSCPs and",
            "priorities of this fabric; they were tried on no NIC, and nothing reads them back.",
        ),
    ),
}
#: Scripts that are run; that for the firmware is handed to a shell by an operator.
PROGRAMS = ("apply-script", "check-script")
_UNITS = "etc/systemd/system"
#: The worst metric that netplan 0.106 passes on: it prints larger ones as negative numbers, which
#: networkd refuses. And one that gives way to what an operator has in the main table (metric 0 of
#: iproute2, 100 of NetworkManager).
_METRICS = {"last_metric": 2**31 - 1, "main_metric": 1024}
#: PCIe device control, bits 12 to 14: 0 is 128 bytes, each step doubles (PCI Express Base
#: Specification 4.0 section 7.5.3.4).
READ_REQUEST_BYTES = (128, 256, 512, 1024, 2048, 4096)


def render_host(design: HostDesign) -> list[Artefact]:
    """Return the files of a host, and the state that they are to bring about.

    Files that belong on the host lie below ``rootfs``; ``expected-state.json`` is for ``verify``
    and ``drift``.

    Raises
    ------
    RenderError
        When a template fails.
    """
    state = expected_state(design).encode()
    return [
        *_addresses(design),
        _file(
            design,
            "sysctl",
            "sysctl",
            f"etc/sysctl.d/{sysctl_file(design)}",
            parameters=kernel_parameters(design),
        ),
        *_settings(design),
        Artefact(
            design.name,
            "host",
            "expected-state",
            f"hosts/{design.name}/expected-state.json",
            state,
        ),
    ]


def _file(design: HostDesign, template: str, kind: str, path: str, **values: object) -> Artefact:
    text = render(f"host/{template}.j2", design.name, {"host": design, **values})
    where = f"hosts/{design.name}/rootfs/{path}"
    return Artefact(design.name, "host", kind, where, text.encode(), kind in PROGRAMS)


def _addresses(design: HostDesign) -> Iterator[Artefact]:
    """Yield the files of the network stack."""
    stack = STACKS[design.traits.network_stack]
    if stack == "netplan":
        path = f"etc/netplan/60-{design.own_name}.yaml"
        yield _file(design, "netplan", "netplan", path, **_METRICS)
    for nic in design.nics:
        if not nic.enabled:
            continue
        if nic.path or (nic.mac and stack != "netplan"):
            path = f"etc/systemd/network/05-{design.own_name}-{nic.interface}.link"
            yield _file(design, "link", "link", path, nic=nic)
        if stack == "netplan":
            continue
        if stack == "networkd":
            path = f"etc/systemd/network/05-{design.own_name}-{nic.interface}.network"
            yield _file(design, "networkd", "networkd", path, nic=nic, **_METRICS)
        else:
            name = f"{design.own_name}-{nic.interface}.nmconnection"
            path = f"etc/NetworkManager/system-connections/{name}"
            yield _file(
                design, "keyfile", "keyfile", path, nic=nic, uuid=_uuid(design, nic), **_METRICS
            )


def _uuid(design: HostDesign, nic: NicDesign) -> str:
    """Return the name of a profile: the same at every render, another for every NIC."""
    return str(uuid.uuid5(uuid.NAMESPACE_DNS, f"{nic.interface}.{design.name}.rocefab"))


def _settings(design: HostDesign) -> Iterator[Artefact]:
    """Yield the scripts, and the units that run them."""
    tuning = design.traits.tuning
    template, head = DRIVERS[design.traits.nic.driver]
    lossless = not design.no_lossless
    tunes = bool(tuning.governor or tuning.acs or tuning.hugepages_1g is not None)
    read = tuning.max_read_request_bytes
    register = f"{READ_REQUEST_BYTES.index(read)}000" if read else ""
    scripts = design.folder.removeprefix("/")
    uses_debugfs = template == "nic_mlx5" and lossless
    uses_configfs = template != "nic_mlx5_ofed" and lossless
    yield _file(
        design,
        "apply",
        "apply-script",
        f"{scripts}/apply.sh",
        parameters=[(name.translate(TO_PROC), value) for name, value in kernel_parameters(design)],
        tuning=tuning,
        tunes=tunes,
        head=head if lossless else ("No lossless settings:", f"{design.no_lossless}."),
        nic_template=f"host/{template}.j2",
        stack_template=f"host/stack_{STACKS[design.traits.network_stack]}.j2",
        uses_configfs=uses_configfs,
        uses_debugfs=uses_debugfs,
        uses_pci=uses_debugfs or bool(register),
        max_read_register=register,
        dcb_words={nic.interface: dcb_words(nic) for nic in design.nics},
    )
    yield _file(
        design,
        "check",
        "check-script",
        f"{scripts}/check.sh",
        reader=reader(design),
        uses_configfs=uses_configfs,
        max_read_register=register,
        gpudirect=tuning.gpudirect,
        governor="" if design.traits.virtual_machine else tuning.governor,
    )
    yield _file(design, "unit", "unit", f"{_UNITS}/{design.own_name}-nic@.service")
    if lossless:
        yield _file(design, "udev", "udev", f"etc/udev/rules.d/90-{design.own_name}.rules")
    if tunes:
        yield _file(design, "tuning_unit", "unit", f"{_UNITS}/{design.own_name}-tuning.service")
    if design.traits.nic.firmware_file and lossless:
        words = {nic.interface: firmware_words(design, nic) for nic in design.nics}
        yield _file(design, "firmware", "firmware-script", f"{scripts}/firmware.sh", firmware=words)
