"""export ztp: what a management network needs to start switches and hosts from the box."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from fabric.boot.authority import ca_text
from fabric.boot.devices import BMC, HOST, hosts, managed, network_of, switches
from fabric.boot.dnsmasq import dnsmasq
from fabric.boot.images import checked
from fabric.boot.kea import kea
from fabric.boot.leases import MAC, Lease, alike, boot_of, matched, odd_serial
from fabric.boot.model import CRYPT, CRYPT_FORM, IMAGES, Account, Order, OsImage, Tls
from fabric.boot.seeds import seed
from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.core.exports import About, Exported, Exporter, exporters, refused, text_file
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Position, Severity
from fabric.core.user_files import read_text
from fabric.devices.secrets import reference, reveal
from fabric.devices.sudo import account_name
from fabric.platforms import platforms
from fabric.validate.origins import host_place, switch_place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from fabric.boot.model import Answer, Boot, Device, Match
    from fabric.core.artefact import Artefact
    from fabric.core.exports import Part
    from fabric.topology.model import ManagementEnds
    from fabric.workflow.project import Project

T = TypeVar("T")
FORM = "ztp"


class Words(NamedTuple):
    """What the user says of an export.

    Parameters
    ----------
    key_file : Path or None
        File with the public key of the account.
    hashes : tuple of str
        ``[SYSTEM=]REFERENCE`` to the hash of its password.
    images : Path or None
        Folder of the images; None where devices keep what they have.
    tls_url : str
        Where the same files are served by HTTPS; empty where they are not.
    own_ca : Path or None
        Folder of the authority of that server.
    """

    account: str
    key_file: Path | None = None
    hashes: tuple[str, ...] = ()
    url: str = ""
    whole: bool = False
    images: Path | None = None
    tls_url: str = ""
    own_ca: Path | None = None


#: A line of authorized_keys(5) without options, and with a comment of plain characters.
_KEY = re.compile(r"(ssh-(rsa|ed25519)|ecdsa-sha2-nistp(256|384|521)) [A-Za-z0-9+/=]+( [\w.@-]+)?")
#: Where a MAC stands, the first that counts before the other.
_MACS = ("management_mac", "mac")
_PART = "{} starts with the part of its configuration that it needs to be reached"
_BY_HTTP = "{} fetches all by HTTP: nothing gives it an authority before its file"
_APPLY = "run `rocefab plan` and `rocefab apply` after that"
_URL = re.compile(r"https?://[A-Za-z0-9.-]+(:\d{1,5})?(/[A-Za-z0-9._-]+)*")


@dataclass(frozen=True)
class Ztp:
    """A project that starts from the box.

    Parameters
    ----------
    account, key : str
        Account on the devices, and the line of its public key.
    hashes : mapping of str to str
        Reference to the hash of its password by system; empty for all others.
    url : str
        Where the folder ``http`` of the export is served.
    whole : bool
        Whether devices start with their whole rendered configuration.
    images : mapping of (str, str) to OsImage
        Image by system and release.
    tls : Tls or None
        Where they are served by HTTPS, for systems that can check who serves them.
    """

    project: Project
    account: str
    key: str
    hashes: Mapping[str, str]
    url: str
    whole: bool = False
    images: Mapping[tuple[str, str], OsImage] = field(default_factory=dict)
    tls: Tls | None = None

    @cached_property
    def ends(self) -> ManagementEnds:
        """The management network."""
        return network_of(self.project.fabric)

    @cached_property
    def devices(self) -> tuple[Device, ...]:
        """Switches, hosts and BMCs."""
        return managed(self.project.fabric)

    @cached_property
    def known(self) -> tuple[list[Lease], list[Finding]]:
        """Reservations, and devices that cannot be told apart yet."""
        leases, notes = [], list[Finding]()
        for device in self.devices:
            match = matched(device)
            if isinstance(match, Finding):
                notes.append(match)
            else:
                leases.append(self._lease(device, match))
        errors = [note for note in (*notes, *alike(leases)) if note.severity is Severity.ERROR]
        if errors:
            wrong = [self._placed(note) for note in errors]
            raise InputError("a DHCP server cannot distinguish these devices", wrong)
        return leases, [*_grouped(notes), *self._unconfirmed(leases)]

    def _placed(self, note: Finding) -> Finding:
        """Return an error about a device with the place of its serial or MAC."""
        intent, host = self.project.intent, note.device.removesuffix(f"-{BMC}")
        fields = _MACS if note.field == MAC else (note.field,)
        if host != note.device:
            fields = ("bmc_mac",)
        places = (
            switch_place(intent, host, field) or host_place(intent, host, field) for field in fields
        )
        place = next(filter(None, places), None)
        return replace(note, field=place.field, position=place.position) if place else note

    def _lease(self, device: Device, match: Match) -> Lease:
        boot = boot_of(device.platform)
        if boot is None:
            return Lease(device, match)
        image = self._image(device)
        url = image.url if image else ""
        return Lease(device, match, self._answers(device, boot, url), url if boot.onie else "")

    def _image(self, device: Device) -> OsImage | None:
        return self.images.get((device.platform, device.release))

    def _answers(self, device: Device, boot: Boot, image: str) -> tuple[Answer, ...]:
        if boot.http_alone and not self.url.startswith("http:"):
            message = f"no document says that {device.platform} fetches its file by HTTPS"
            raise refused("ZTP002", message, "give --boot-url with http://", field="--boot-url")
        return boot.answers(device, f"{self.url}/{boot.file(device)}", image)

    def _unconfirmed(self, leases: list[Lease]) -> Iterator[Finding]:
        """Yield what is not confirmed about a system, once for all of its devices."""
        for platform in sorted({lease.device.platform for lease in leases}):
            boot = next(
                boot_of(one.device.platform) for one in leases if one.device.platform == platform
            )
            if boot and boot.warning:
                title = platforms[platform].title
                yield Finding(
                    "ZTP003", Severity.WARNING, f"{title}: {boot.warning}", "try one device first"
                )

    def order(self, device: Device) -> Order:
        """Return what the files of a device are made of.

        Raises
        ------
        InputError
            When its serial could be taken for something else in a file that it runs.
        """
        if odd := odd_serial(device):
            raise InputError("the files cannot be written", [self._placed(odd)])
        boot = boot_of(device.platform)
        return Order(
            device,
            self._account(device.platform),
            self.url,
            self._rendered(device),
            self._image(device),
            self.tls if boot and boot.takes_ca else None,
        )

    def _rendered(self, device: Device) -> tuple[Artefact, ...]:
        boot = boot_of(device.platform)
        if boot and not boot.takes_whole:
            return ()
        rendered = self._hosts if device.platform == HOST else self._switches
        return tuple(rendered.get(device.name, ()))

    @cached_property
    def _switches(self) -> Mapping[str, Sequence[Artefact]]:
        return self.project.switch_artefacts if self.whole else {}

    @cached_property
    def _hosts(self) -> Mapping[str, Sequence[Artefact]]:
        return self.project.host_artefacts if self.whole else {}

    def _account(self, platform: str) -> Account:
        if platform not in self._accounts:
            names = {one.platform for one in self.devices} - {HOST, BMC}
            systems = [HOST] if platform == HOST else sorted(names)
            checked = _all_of(*(partial(self._checked, one) for one in systems))
            self._accounts.update(zip(systems, checked, strict=True))
        return self._accounts[platform]

    @cached_property
    def _accounts(self) -> dict[str, Account]:
        return {}

    def _checked(self, platform: str) -> Account:
        """Return the account on a system, its hash asked for now."""
        boot = boot_of(platform)
        takes = boot.hashes if boot else CRYPT
        text = self.hashes.get(platform) or self.hashes.get("")
        form = boot.hash_form if boot else CRYPT_FORM
        secret = self._revealed(text, takes, form, platform) if text and takes else ""
        if not secret and (not self.key or (boot and boot.needs_hash)):
            what = "a hash of a password" if boot and boot.needs_hash else "a key or a hash"
            fix = f"add --account-hash {platform}=env:NAME"
            message = f"{platform} needs {what} to log in with"
            raise refused("ZTP002", message, fix, field="--account-hash")
        return Account(self.account, self.key, secret)

    def _revealed(self, text: str, takes: tuple[str, ...], form: str, platform: str) -> str:
        secret = reveal(reference(text), platform)
        if not re.fullmatch(form, secret) or not secret.startswith(takes):
            forms = " or ".join(takes)
            message = f"{text} is not a hash that {platform} takes: it must begin with {forms}"
            raise refused("ZTP002", message, _how_to_get(takes[0]), field="--account-hash")
        return secret


def _how_to_get(prefix: str) -> str:
    """Return where a hash that begins with a prefix comes from: OpenSSL makes those of crypt."""
    if prefix in CRYPT:
        return f"make it with `openssl passwd -{prefix.strip('$')}`, or copy it from a device"
    return "copy it from the running configuration of such a switch, of the same release"


def _grouped(notes: list[Finding]) -> Iterator[Finding]:
    """Yield one note for all devices of which it says the same."""
    names: dict[Finding, list[str]] = {}
    for note in notes:
        names.setdefault(replace(note, device=""), []).append(note.device)
    for note, devices in names.items():
        yield replace(note, device=hostlist.fold_inside(devices))


def ztp(project: Project, words: Words) -> Ztp:
    """Return what an export is made of.

    Raises
    ------
    InputError
        When an option has not the form that it must have.
    """
    try:
        account_name(words.account)
    except ValueError as error:
        raise refused("ZTP002", str(error), "see docs/boot.md", field="--account") from error
    try:
        hashes = {name: str(reference(text)) for name, text in _by_system(words.hashes)}
    except ValueError as error:
        raise refused("ZTP002", str(error), "see docs/boot.md", field="--account-hash") from error
    _all_of(lambda: _require_url(words.url), lambda: network_of(project.fabric))
    key = read_text(words.key_file, FileKind.KEY).strip() if words.key_file else ""
    if key and not _KEY.fullmatch(key):
        message = f"{words.key_file} has no public key of SSH in one line"
        place = Position(str(words.key_file), 1)
        fix = "name the file that ends with .pub"
        raise refused("ZTP002", message, fix, field="--account-key", position=place)
    images = _images(project, words)
    tls = _tls(words)
    return Ztp(project, words.account, key, hashes, words.url, words.whole, images, tls)


def _require_url(url: str) -> None:
    if not _URL.fullmatch(url):
        message = "the address of the files is missing, or has other characters than a URL needs"
        fix = "add --boot-url, such as http://192.0.2.1:8781"
        raise refused("ZTP002", message, fix, field="--boot-url")


def _all_of(*steps: Callable[[], T]) -> list[T]:
    """Return the results of steps; what is wrong with any of them is said at once.

    Raises
    ------
    InputError
        With the findings of all steps.
    """
    results, wrong, error = [], list[Finding](), None
    for step in steps:
        try:
            results.append(step())
        except InputError as failure:
            error = error or failure
            wrong += failure.findings
    if error:
        raise InputError(str(error), wrong) from error
    return results


def _tls(words: Words) -> Tls | None:
    """Return the server of HTTPS; the authority is made where there is none yet."""
    if not words.tls_url and words.own_ca is None:
        return None
    if (
        words.own_ca is None
        or not re.fullmatch(r"https:.*", words.tls_url)
        or not _URL.fullmatch(words.tls_url)
    ):
        message = "files by HTTPS need their address, which begins with https://, and the authority"
        raise refused("ZTP002", message, "add --tls-url and --own-ca")
    return Tls(words.tls_url, ca_text(words.own_ca))


def _images(project: Project, words: Words) -> dict[tuple[str, str], OsImage]:
    """Return the images that devices install, each compared with its checksum."""
    if words.images is None:
        return {}
    intent = project.intent
    checked(intent, words.images)
    for index, image in enumerate(intent.fabric.management.images):
        boot = boot_of(image.system)
        if boot is None or not boot.installs:
            message = f"{image.system} installs no image when it starts from the box"
            fix = "install it with the tools of its vendor, and remove the entry"
            place = intent.position("management", "images", index, "system")
            name = f"fabric.management.images[{index}].system"
            raise refused("ZTP009", message, fix, field=name, position=place)
    return {
        (one.system, one.release): OsImage(
            f"{words.url}/{IMAGES}/{one.file}", one.version, one.sha256
        )
        for one in intent.fabric.management.images
    }


def _by_system(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield (system, reference) pairs; one without a system is for all others."""
    for text in texts:
        system, sign, rest = text.partition("=")
        if sign and system not in {*platforms, HOST}:
            raise ValueError(f"there is no system {system[:32]!a}")
        yield (system, rest) if sign else ("", text)


def _switch_files(boot: Ztp) -> Exported:
    files: list[Artefact] = []
    notes = []
    for device in switches(boot.project.fabric):
        way = boot_of(device.platform)
        title = platforms[device.platform].title
        if way is None:
            notes.append(Finding("ZTP003", Severity.WARNING, f"{title} has no way from the box"))
            continue
        if boot.tls and not way.takes_ca:
            notes.append(Finding("ZTP003", Severity.INFO, _BY_HTTP.format(title)))
        if boot.whole and not way.takes_whole:
            notes.append(Finding("ZTP003", Severity.WARNING, _PART.format(title), _APPLY))
        if boot.key and not boot.key.startswith(way.keys):
            kinds = " or ".join(way.keys)
            what = f"a key of type {kinds} alone" if kinds else "no key of SSH from a file"
            message = f"{title} takes {what}: the account has its password"
            notes.append(Finding("ZTP003", Severity.WARNING, message, field="--account-key"))
        files += way.files(boot.order(device))
    return Exported(tuple(files), tuple(dict.fromkeys(notes)))


def _seeds(boot: Ztp) -> Exported:
    files: list[Artefact] = []
    for device in hosts(boot.project.fabric):
        if device.platform == HOST and device.mac:
            interface = boot.project.intent.fabric.host.management_interface
            files += seed(boot.order(device), interface)
    return Exported(tuple(files))


def _server(form: str, write: Callable[[list[Lease], ManagementEnds], str], path: str) -> Part:
    def part(boot: Ztp) -> Exported:
        leases, notes = boot.known
        return Exported((text_file(FORM, form, path, write(leases, boot.ends)),), tuple(notes))

    return part


exporters.add(FORM)(
    Exporter(
        {
            "kea": _server("kea", kea, "kea-dhcp4.json"),
            "dnsmasq": _server("dnsmasq", dnsmasq, "dnsmasq.conf"),
            "switches": _switch_files,
            "hosts": _seeds,
        },
        about=About.BOOT,
        title="boot from the box: DHCP servers, files of switches and hosts",
    )
)
