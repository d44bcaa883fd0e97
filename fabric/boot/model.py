"""What a device sends when it starts from the box, and what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Address
from typing import TYPE_CHECKING, Literal, NamedTuple
from urllib.parse import urlsplit

from fabric.core.artefact import Artefact
from fabric.core.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from ipaddress import IPv4Network

#: Options of DHCP (RFC 2132; 239 is of sonic-ztp and Cumulus Linux).
TFTP_SERVER, BOOT_FILE, TFTP_ADDRESSES, PROVISION_URL = 66, 67, 150, 239
#: The address of an installer (opencomputeproject/onie ad15a796, docs/design-spec/discovery.rst).
INSTALLER_URL = 114
#: What the vendor class of ONIE begins with (the same, and udhcp4_sd).
ONIE_CLASS = "onie_vendor"
VENDOR_CLASS, CLIENT_ID = 60, 61
#: Folder of an export that is served, and the place of images below its address.
FOLDER, IMAGES = "http", "images"
#: SHA-512 and SHA-256 of crypt(5).
CRYPT = ("$6$", "$5$")
#: Kinds of public keys of SSH that are taken (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
SSH_KEYS = ("ssh-rsa", "ssh-ed25519", "ecdsa-sha2-nistp")
#: crypt(5): a method, its parameters, salt and digest.
CRYPT_FORM = r"\$[A-Za-z0-9./$=,+-]{1,255}"


class Match(NamedTuple):
    """Bytes of an option that tell which device asks.

    Parameters
    ----------
    option : int
        Code of the option of DHCP; 0 for the MAC address.
    content : bytes
        What it is, or what stands in it.
    where : str
        Whether this is all of it, or what it begins or ends with.
    mark : bytes
        What it must begin with too: the vendor; empty where that is not known.
    """

    option: int
    content: bytes
    where: Literal["whole", "begin", "end"] = "whole"
    mark: bytes = b""

    @property
    def is_whole(self) -> bool:
        """Whether it is exactly this."""
        return self.where == "whole"


class Answer(NamedTuple):
    """An option of DHCP that the device needs; ``content`` has its sub-options where it has any."""

    code: int
    content: str | Mapping[int, str]


@dataclass(frozen=True, slots=True)
class Device:
    """A device that starts from the box.

    Parameters
    ----------
    platform : str
        Its system; ``host`` for a host, and ``bmc`` for its BMC.
    model : str
        Switch model; empty for hosts.
    serial, mac, release : str
        As the inventory has them; empty where they are not known. The MAC is the one of the
        management port.
    address, gateway : str
        In the management network.
    subnet : IPv4Network
        The management network.
    vrf : str
        VRF of the management port; empty for the default VRF, and on hosts.
    """

    name: str
    platform: str
    model: str
    serial: str
    mac: str
    release: str
    address: str
    gateway: str
    subnet: IPv4Network
    vrf: str = ""

    @property
    def interface_address(self) -> str:
        """Address with the length of its prefix."""
        return f"{self.address}/{self.subnet.prefixlen}"


@dataclass(frozen=True, slots=True)
class Account:
    """The account that rocefab logs in with.

    Parameters
    ----------
    key : str
        Line of a public key of SSH; empty for none.
    hash : str
        Hash of a password in the form of the system; empty for none.
    """

    name: str
    key: str = ""
    hash: str = ""


class Tls(NamedTuple):
    """Where files are served by HTTPS, and who vouches for it.

    Parameters
    ----------
    url : str
        Address of the folder, without a slash at its end.
    ca : str
        Certificate of the authority, as PEM.
    """

    url: str
    ca: str


class OsImage(NamedTuple):
    """An image that a device installs before its configuration.

    Parameters
    ----------
    url : str
        Where it is served.
    version : str
        Name of the build, as the system prints it.
    sha256 : str
        Its checksum.
    """

    url: str
    version: str
    sha256: str = ""

    @property
    def file(self) -> str:
        """Name of the file."""
        return self.url.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Order:
    """What a bootstrap file is made of.

    Parameters
    ----------
    url : str
        Address of the folder that serves the files, without a slash at its end.
    rendered : tuple of Artefact
        The rendered configuration of the device; empty where the file has no more than it needs.
    image : OsImage or None
        What it installs; None where it keeps what it has.
    tls : Tls or None
        Where it fetches by HTTPS what can be fetched so; None where all is fetched by HTTP.
    """

    device: Device
    account: Account
    url: str
    rendered: tuple[Artefact, ...] = ()
    image: OsImage | None = None
    tls: Tls | None = None


@dataclass(frozen=True)
class Boot:
    """How a system starts from the box.

    Parameters
    ----------
    match : callable
        Returns what the device sends with its serial; None where its MAC must do.
    ending : str
        What follows its name in the file that DHCP names.
    files : callable
        Returns the files that it fetches.
    answers : callable
        Returns the options of DHCP for the address of that file, such as
        ``http://192.0.2.1:8781/leaf1.json``, and for the address of its image; empty for none.
    warning : str
        What is not confirmed about all of this; empty where nothing is.
    hashes : tuple of str
        Beginnings of the hashes of passwords that the system takes; empty where it takes none.
    needs_hash : bool
        Whether rocefab logs in with a password alone.
    tftp : bool
        Whether it fetches a file by TFTP from the server of the address.
    begin : str
        What stands before its name in the file that DHCP names.
    http_alone : bool
        Whether no document says that it takes HTTPS.
    takes_whole : bool
        Whether it can start with the whole rendered configuration.
    hash_form : str
        Regular expression of the hashes.
    installs : bool
        Whether its files, or the options of DHCP, can have it install an image.
    takes_ca : bool
        Whether its first file can give it an authority that it checks the others with.
    keys : tuple of str
        Beginnings of the public keys of SSH that its file takes.
    onie : bool
        Whether its image is an installer of ONIE too.
    """

    match: Callable[[Device], Match | None]
    ending: str
    files: Callable[[Order], tuple[Artefact, ...]]
    answers: Callable[[Device, str, str], tuple[Answer, ...]]
    warning: str = ""
    hashes: tuple[str, ...] = CRYPT
    needs_hash: bool = False
    tftp: bool = False
    begin: str = ""
    http_alone: bool = False
    takes_whole: bool = True
    hash_form: str = CRYPT_FORM
    installs: bool = False
    takes_ca: bool = False
    onie: bool = False
    keys: tuple[str, ...] = SSH_KEYS

    def file(self, device: Device) -> str:
        """Return the name of the file that DHCP names."""
        return f"{self.begin}{device.name}{self.ending}"


boots: Registry[Boot] = Registry("system", plugins="boot")


def joined_before(end: str, own: str, rendered: tuple[Artefact, ...]) -> str:
    """Return a file of lines whose end stands once, after all that was rendered."""
    parts = (own, *(file.content.decode() for file in rendered))
    return "".join(part.removesuffix(end) for part in parts) + end


def boot_file(device: Device, path: str, text: str, kind: str = "bootstrap") -> Artefact:
    """Return a file of a bootstrap, below the folder that is served; its last line ends."""
    whole = text if text.endswith("\n") else f"{text}\n"
    return Artefact(device.name, device.platform, kind, f"{FOLDER}/{path}", whole.encode())


def no_serial(_: Device) -> None:
    """Return no match: what a device sends of itself is not known, so that its MAC must do."""


def serial_after(option: int, sign: str, vendor: str) -> Callable[[Device], Match]:
    """Return the match of systems whose option begins with the vendor, and ends with the serial."""
    begin = f"{vendor}{sign}".encode()
    return lambda device: Match(option, f"{sign}{device.serial}".encode(), "end", begin)


def zero_and_serial(device: Device) -> Match:
    """Return the match of systems whose client id is a zero and the serial."""
    return Match(CLIENT_ID, b"\0" + device.serial.encode())


def option_with_url(code: int) -> Callable[[Device, str, str], tuple[Answer, ...]]:
    """Return the answer of systems that take the whole address of their file in one option."""
    return lambda _device, url, _image: (Answer(code, url),)


def server_of(url: str) -> Answer:
    """Return the answer with the server of an address: by number, else by name."""
    host = urlsplit(url).hostname or ""
    try:
        return Answer(TFTP_ADDRESSES, str(IPv4Address(host)))
    except AddressValueError:
        return Answer(TFTP_SERVER, host)


def file_by_tftp(_device: Device, url: str, _image: str) -> tuple[Answer, ...]:
    """Return the answers of systems that fetch a file from the root of a TFTP server."""
    return (server_of(url), Answer(BOOT_FILE, url.rpartition("/")[2]))
