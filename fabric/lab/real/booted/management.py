"""How the machine reaches the hosts that are booted: a cable to each, keys, a connections file."""

from __future__ import annotations

import ipaddress
import itertools
import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fabric.core.errors import LabError
from fabric.programs.run import run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

USER = "rocefab"
#: For tests of networks, never on the Internet (RFC 2544, RFC 6890).
_NETWORK = ipaddress.IPv4Network("198.18.0.0/15")
#: A cable has two addresses (RFC 3021).
_PREFIX_LENGTH = 31
#: Seconds that ssh-keygen or ``ip`` may take; our choice.
_TIMEOUT_S = 60


@dataclass(frozen=True)
class Access:
    """The cable to one host, and its address there.

    Parameters
    ----------
    interface : str
        End of the cable on the machine.
    near, far : str
        Addresses of the machine and of the host, each with its prefix length.
    """

    interface: str
    near: str
    far: str

    @property
    def address(self) -> str:
        """Where the host is reached."""
        return self.far.partition("/")[0]


@dataclass(frozen=True)
class Management:
    """Management network of one lab.

    Parameters
    ----------
    folder : Path
        Where keys and the connections file are: for root alone.
    hosts : sequence of str
        Hosts that are booted.
    """

    name: str
    folder: Path
    hosts: Sequence[str]

    @property
    def key_file(self) -> Path:
        """Private key of the user who logs in."""
        return self.folder / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        """Host keys in the form of OpenSSH."""
        return self.folder / "known_hosts"

    @property
    def connections_file(self) -> Path:
        """For ``--connections``."""
        return self.folder / "connections.json"

    @cached_property
    def accesses(self) -> dict[str, Access]:
        """The cable to each host; networks that the machine knows are not used."""
        free = free_networks(len(self.hosts), _known_networks())
        return {
            host: Access(
                f"rfl{self.name}m{number}",
                f"{network[0]}/{_PREFIX_LENGTH}",
                f"{network[1]}/{_PREFIX_LENGTH}",
            )
            for number, (host, network) in enumerate(zip(self.hosts, free, strict=True))
        }

    def write(self) -> None:
        """Make the keys, and write the files that name them."""
        self.folder.mkdir(mode=0o700)
        _make_key(self.key_file, f"{USER}@lab-{self.name}")
        for host in self.hosts:
            _make_key(self.host_key(host), f"root@{host}")
        trusted = {host: _public(self.host_key(host)) for host in self.hosts}
        lines = [f"{self.accesses[host].address} {key}\n" for host, key in trusted.items()]
        self.known_hosts.write_text("".join(lines), encoding="utf-8")
        entries = {
            host: {"address": self.accesses[host].address, "trust": key}
            for host, key in trusted.items()
        }
        says = {"username": USER, "key_file": str(self.key_file), "devices": entries}
        self.connections_file.write_text(json.dumps(says, indent=1) + "\n", encoding="utf-8")

    def host_key(self, host: str) -> Path:
        """Return where the private host key of a host is."""
        return self.folder / f"{host}.host_key"

    @property
    def authorized(self) -> str:
        """Public key of the user who logs in."""
        return self.key_file.with_suffix(".pub").read_text(encoding="utf-8")

    def words(self, host: str) -> list[str]:
        """Return the words that log in to a host by OpenSSH."""
        options = [f"UserKnownHostsFile={self.known_hosts}", "IdentitiesOnly=yes"]
        flags = [word for option in options for word in ("-o", option)]
        return [
            "ssh",
            "-i",
            str(self.key_file),
            *flags,
            f"{USER}@{self.accesses[host].address}",
        ]


def _make_key(path: Path, comment: str) -> None:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)]
    done = run(argv, _TIMEOUT_S)
    if done.code:
        raise LabError("lab", f"ssh-keygen: {done.text}{done.complaint}")


def _public(path: Path) -> str:
    """Return type and key of a public key, without its comment."""
    return " ".join(path.with_name(f"{path.name}.pub").read_text(encoding="utf-8").split()[:2])


def free_networks(count: int, known: Iterable[str]) -> list[ipaddress.IPv4Network]:
    """Return networks of two addresses that no known network overlaps.

    Raises
    ------
    LabError
        When there are too few.
    """
    taken = [ipaddress.IPv4Network(text) for text in known]
    free = (
        network
        for network in _NETWORK.subnets(new_prefix=_PREFIX_LENGTH)
        if not any(network.overlaps(other) for other in taken)
    )
    found = list(itertools.islice(free, count))
    if len(found) < count:
        raise LabError("lab", f"the machine has routes to nearly all of {_NETWORK}")
    return found


def _known_networks() -> list[str]:
    """Return the networks below ours that the machine has a route to."""
    argv = ["ip", "-j", "-4", "route", "show", "table", "all", "root", str(_NETWORK)]
    done = run(argv, _TIMEOUT_S)
    if done.code:
        raise LabError("lab", f"ip: {done.complaint}")
    return [row["dst"] for row in json.loads(done.text or "[]")]
