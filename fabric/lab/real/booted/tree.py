"""Files of a host that is booted, as an installer leaves them: login, management, services."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fabric.lab.real.booted.management import USER
from fabric.lab.real.neighbours import INTERVAL_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.design.host_model import HostDesign
    from fabric.lab.real.booted.management import Access, Management

#: Accounts of people begin here (Debian policy, 9.2.2).
_FIRST_PERSON = 1000
_SSHD = f"""\
HostKey /etc/ssh/ssh_host_ed25519_key
AllowUsers {USER}
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM yes
Subsystem sftp internal-sftp
"""
#: The defaults are those of Debian's package.
_SUDOERS = f"""\
Defaults env_reset
Defaults mail_badpass
Defaults secure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
Defaults use_pty
root ALL=(ALL:ALL) ALL
{USER} ALL=(ALL:ALL) NOPASSWD: ALL
"""
#: Events of network devices are all that the network namespace of a host has.
_TRIGGER = """\
[Service]
ExecStart=
ExecStart=-udevadm trigger --type=devices --action=add --subsystem-match=net
"""
_NETWORKD = """\
[Match]
Name={interface}

[Network]
Address={address}
LinkLocalAddressing=no
"""
_NETPLAN = """\
network:
  version: 2
  ethernets:
    {interface}: {{addresses: [{address}], link-local: []}}
"""


class _File(NamedTuple):
    path: str
    text: str
    mode: int = 0o644
    owner: int = 0


def pack(path: Path, design: HostDesign, access: Access, management: Management) -> None:
    """Write the archive that a host is made of, beside what it has of the machine.

    Parameters
    ----------
    access : Access
        Its address in the management network.
    """
    with tarfile.open(path, "w") as archive:
        for file in _files(design, access, management):
            content = file.text.encode()
            member = tarfile.TarInfo(file.path)
            member.size, member.mode = len(content), file.mode
            member.uid = member.gid = file.owner
            archive.addfile(member, io.BytesIO(content))
    path.chmod(0o600)


def _files(design: HostDesign, access: Access, management: Management) -> Iterator[_File]:
    name = design.name
    yield _File("lab/init", Path(__file__).with_name("init.sh").read_text("utf-8"), 0o755)
    yield _File("etc/machine-id", hashlib.sha256(name.encode()).hexdigest()[:32] + "\n")
    yield _File("etc/hostname", f"{name}\n")
    yield _File("etc/hosts", f"127.0.0.1 localhost {name}\n")
    yield from _accounts()
    yield _File("etc/sudoers", _SUDOERS, 0o440)
    keys = f"home/{USER}/.ssh/authorized_keys"
    yield _File(keys, management.authorized, 0o600, _FIRST_PERSON)
    yield _File("etc/ssh/sshd_config", _SSHD)
    host_key = management.host_key(name).read_text("utf-8")
    yield _File("etc/ssh/ssh_host_ed25519_key", host_key, 0o600)
    interfaces = ",".join(nic.interface for nic in design.nics)
    yield _File(
        "etc/lldpd.d/lab.conf",
        f"configure lldp tx-interval {INTERVAL_S}\n"
        f"configure system interface pattern {interfaces}\n",
    )
    yield _File("etc/systemd/system/systemd-udev-trigger.service.d/lab.conf", _TRIGGER)
    yield _network(design, access)


def _network(design: HostDesign, access: Access) -> _File:
    """Return the file of the management interface, in the form of the host's network stack."""
    words = {"interface": design.management_interface, "address": access.far}
    if design.traits.network_stack.startswith("netplan"):
        return _File("etc/netplan/00-management.yaml", _NETPLAN.format(**words), 0o600)
    return _File("etc/systemd/network/10-management.network", _NETWORKD.format(**words))


def _accounts() -> Iterator[_File]:
    """Yield the accounts of the machine's services, and that of the user who logs in."""
    services = {"etc/passwd": 2, "etc/group": 2}
    own = {
        "etc/passwd": f"{USER}:x:{_FIRST_PERSON}:{_FIRST_PERSON}::/home/{USER}:/bin/bash\n",
        "etc/group": f"{USER}:x:{_FIRST_PERSON}:\n",
    }
    names: list[str] = []
    for path, number in services.items():
        lines = Path("/", path).read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if int(line.split(":")[number]) < _FIRST_PERSON]
        names = names or [line.partition(":")[0] for line in kept]
        yield _File(path, "".join(f"{line}\n" for line in kept) + own[path])
    shadow = "".join(f"{name}:*:19000:0:99999:7:::\n" for name in [*names, USER])
    yield _File("etc/shadow", shadow, 0o600)
