"""What a virtual machine has on top of the root of this machine: rendered files, keys, units."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fabric.core.artefact import Artefact
    from fabric.design.host_model import HostDesign
    from tests.reallab.vm.kernel import Kernel

USER = "rocefab"
TARGET = "rocefab-vm.target"
_UNITS = {
    TARGET: """\
[Unit]
Requires=basic.target dbus.service
Wants=systemd-networkd.service rocefab-rxe.service rocefab-sshd.service
After=basic.target dbus.service
AllowIsolate=yes
""",
    "rocefab-sshd.service": """\
[Unit]
After=rocefab-rxe.service
[Service]
RuntimeDirectory=sshd
ExecStart=/usr/sbin/sshd -D -e -f /etc/rocefab-vm/sshd_config
""",
    "rocefab-rxe.service": """\
[Unit]
Wants=systemd-networkd.service
After=systemd-networkd.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=modprobe -a rdma_rxe rdma_ucm ib_uverbs ib_umad
ExecStart=/etc/rocefab-vm/rxe.sh
""",
}
_SSHD = """\
HostKey /etc/rocefab-vm/host_key
AuthorizedKeysFile /etc/rocefab-vm/authorized_keys
PasswordAuthentication no
StrictModes no
UseDNS no
Subsystem sftp internal-sftp
"""
#: virtio has no DCB: what scripts set ends well and is shown as it would be, in text alone.
_DCB = """\
#!/bin/sh
case "$*" in
-j*) exec /usr/sbin/dcb "$@" ;;
*"app show "*) echo dscp-prio 26:3 ;;
*"pfc show "*) echo prio-pfc 3:on ;;
esac
"""
#: Units of this machine that a virtual machine does not wait for.
_MASKED = (
    *("NetworkManager.service", "frr.service", "lldpd.service", "munge.service", "ssh.service"),
    *("slurmctld.service", "systemd-timesyncd.service", "apparmor.service", "e2scrub_reap.service"),
    *("networking.service", "systemd-networkd-wait-online.service", "apt-daily.timer"),
    *("apt-daily-upgrade.timer", "man-db.timer", "dpkg-db-backup.timer"),
    # they walk through the folders of this machine
    *("systemd-tmpfiles-setup.service", "systemd-tmpfiles-clean.timer"),
    *("systemd-journal-flush.service", "systemd-sysusers.service"),
    # each costs a second of an emulated processor
    *("modprobe@loop.service", "modprobe@fuse.service", "modprobe@dm_mod.service"),
    *("modprobe@drm.service", "modprobe@efi_pstore.service", "systemd-binfmt.service"),
    *("proc-sys-fs-binfmt_misc.automount", "dev-hugepages.mount", "dev-mqueue.mount"),
    *("sys-kernel-tracing.mount", "systemd-random-seed.service", "systemd-update-utmp.service"),
    *("rdma-ndd.service", "rdma-load-modules@rdma.service", "systemd-pstore.service"),
    *("sys-fs-fuse-connections.mount", "systemd-ask-password-console.path"),
)
_MANAGEMENT = """\
[Match]
Name=eth0
[Network]
DHCP=ipv4
LinkLocalAddressing=no
"""


def key_pair(path: Path) -> str:
    """Make a key pair; return the public half."""
    words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(path)]
    subprocess.run(words, check=True)
    return Path(f"{path}.pub").read_text(encoding="ascii").strip()


def write_seed(
    seed: Path,
    host: HostDesign,
    artefacts: list[Artefact],
    kernel: Kernel,
    *,
    authorized: str,
) -> str:
    """Write what lies over the root of a virtual machine; return the public host key.

    The root of the file system is shared, so the kernel's modules are found where they are.
    """
    texts: dict[str, str] = {f"etc/systemd/system/{name}": text for name, text in _UNITS.items()}
    texts |= {
        "etc/systemd/network/01-management.network": _MANAGEMENT,
        "etc/rocefab-vm/sshd_config": _SSHD,
        "etc/rocefab-vm/authorized_keys": authorized + "\n",
        "etc/rocefab-vm/rxe.sh": _rxe({nic.rdma_device: nic.interface for nic in host.nics}),
        f"etc/sudoers.d/{USER}": f"{USER} ALL=(ALL) NOPASSWD: ALL\n",
        "usr/local/sbin/dcb": _DCB,
        # ping has its capability in an attribute of its file, which virtio-9p does not pass on
        "etc/sysctl.d/10-ping.conf": "net.ipv4.ping_group_range = 0 2147483647\n",
        "etc/hosts": f"127.0.0.1 localhost {host.name}\n",
        "etc/hostname": host.name + "\n",
    }
    texts |= {
        item.path.partition("/rootfs/")[2]: item.text
        for item in artefacts
        if "/rootfs/" in item.path
    }
    for name, text in texts.items():
        _put(seed / name, text)
    for name in ("passwd", "shadow"):
        _put(seed / "etc" / name, Path("/etc", name).read_text(encoding="utf-8") + _LINES[name])
    for name in _MASKED:
        (seed / "etc/systemd/system" / name).symlink_to("/dev/null")
    # the names of the inventory, not those by PCI address
    rules = seed / "etc/udev/rules.d"
    rules.mkdir(parents=True, exist_ok=True)
    (rules / "60-rdma-persistent-naming.rules").symlink_to("/dev/null")
    modules = seed / "usr/lib/modules"
    modules.mkdir(parents=True)
    (modules / kernel.version).symlink_to(kernel.modules)
    return key_pair(seed / "etc/rocefab-vm/host_key")


_LINES = {
    "passwd": f"{USER}:x:60000:0::/tmp:/bin/bash\n",
    "shadow": f"{USER}:*:19000:0:99999:7:::\n",
}


def _rxe(devices: Mapping[str, str]) -> str:
    lines = [
        f"rdma link add {device} type rxe netdev {interface}\n"
        for device, interface in devices.items()
    ]
    return "#!/bin/sh\nset -e\n" + "".join(lines)


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755 if text.startswith("#!") else 0o600 if "netplan" in path.parts else 0o644)
    if path.name in {"shadow", USER}:
        path.chmod(0o440)
