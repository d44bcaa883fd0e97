"""serve --ztp: the files of devices that start from the box, each for its device alone."""

from __future__ import annotations

import hashlib
import time
from http import HTTPStatus
from typing import TYPE_CHECKING, NamedTuple

from starlette.responses import FileResponse, PlainTextResponse, Response

from fabric.boot.devices import managed
from fabric.boot.images import checked
from fabric.boot.leases import boot_of
from fabric.boot.log import BootLog, Record, State
from fabric.boot.model import FOLDER, IMAGES
from fabric.boot.models import other_model
from fabric.core.errors import InputError
from fabric.core.file_kinds import FileKind
from fabric.core.findings import Finding, Severity
from fabric.core.user_files import read_bytes, read_json
from fabric.render.manifest import MANIFEST, digests_of
from fabric.serve.guard import Buckets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from starlette.types import Receive, Scope, Send

    from fabric.boot.model import Device
    from fabric.topology.model import Fabric

#: Headers in which systems send their serial: sonic-net/sonic-ztp, Cumulus Linux, NX-OS from
#: 10.2(1), opencomputeproject/onie.
_SERIALS = (b"serial-number", b"cumulus-serial", b"x-vendor-serial", b"onie-serial-number")
#: Headers in which systems send their model: the same sources.
_MODELS = (b"product-name", b"cumulus-productname", b"x-vendor-modelname")
#: Longer ones are of nobody (`fabric.intent.scalars.Text`).
_LONGEST = 120
#: Requests of one address per second; our choice: a system fetches a handful of files, and again
#: after seconds where it fails.
_RATE = 20.0


class Served(NamedTuple):
    """A file that is served.

    Parameters
    ----------
    content : bytes or Path
        What it has; a file on disk for images.
    device : str
        The device that it is for; empty for all of the fabric.
    is_first : bool
        Whether it is the file that DHCP names.
    stamp : tuple of int
        Size and time of a file on disk when it was compared with its checksum.
    """

    content: bytes | Path
    device: str
    is_first: bool
    stamp: tuple[int, ...] = ()


class BootFiles:
    """An ASGI application: a file goes to the address of its device, and to no other one.

    Parameters
    ----------
    files : mapping of str to Served
        Files by path, without a slash at its beginning.
    devices : mapping of str to Device
        Devices by address in the management network.
    log : BootLog
        Gets a record of each request.
    past : iterable of Record
        Records of earlier runs: serials that were seen.
    report : callable
        Takes a line for the user.
    """

    def __init__(
        self,
        files: Mapping[str, Served],
        devices: Mapping[str, Device],
        log: BootLog,
        past: Iterable[Record],
        report: Callable[[str, str], None],
    ) -> None:
        self._files, self._devices, self._log, self._report = files, devices, log, report
        self._models = {device.model for device in devices.values() if device.model}
        self._buckets = Buckets(_RATE)
        self._pinned = {
            record.device: record.serial for record in past if record.serial and not record.refused
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
            return
        response = self._answer(scope)
        await response(scope, receive, send)

    def _answer(self, scope: Scope) -> Response:
        if scope["method"] not in ("GET", "HEAD"):
            return PlainTextResponse("GET alone\n", HTTPStatus.METHOD_NOT_ALLOWED)
        path = scope["path"].lstrip("/")
        address = scope["client"][0] if scope["client"] else ""
        if self._buckets.take(address, time.monotonic()):
            return PlainTextResponse("too many requests\n", HTTPStatus.TOO_MANY_REQUESTS)
        device, file = self._devices.get(address), self._files.get(path)
        serial, model = _header(scope, _SERIALS), _header(scope, _MODELS)
        status, why = self._refusal(device, file, serial, model)
        name = device.name if device else ""
        state = _state(path, file)
        words = {"address": address, "path": path[:200], "serial": serial, "refused": why}
        self._log.add(name, state, **words)
        self._report(name or address, f"/{path[:200]}: {why or state.title}")
        if why or file is None:
            return PlainTextResponse(f"{why}\n", status)
        if device and serial:
            self._pinned.setdefault(device.name, serial)
        if isinstance(file.content, bytes):
            return Response(file.content, media_type="application/octet-stream")
        return FileResponse(file.content, media_type="application/octet-stream")

    def _refusal(
        self, device: Device | None, file: Served | None, serial: str, model: str
    ) -> tuple[HTTPStatus, str]:
        """Return why a request gets nothing; the text is empty where it gets the file."""
        if device is None:
            return HTTPStatus.FORBIDDEN, "no device of the inventory has this address"
        known = device.serial or self._pinned.get(device.name, "")
        if serial and known and serial.lower() != known.lower():
            return HTTPStatus.FORBIDDEN, f"{device.name} has another serial"
        if other := other_model(model, device.model, self._models):
            message = f"{device.name} is planned as {device.model}, and a {other} asks"
            return HTTPStatus.FORBIDDEN, message
        if file is None:
            return HTTPStatus.NOT_FOUND, "there is no such file"
        if file.device not in ("", device.name):
            return HTTPStatus.FORBIDDEN, "the file is of another device"
        if not isinstance(file.content, bytes) and file.stamp != _stamp(file.content):
            return HTTPStatus.CONFLICT, "the image has changed since it was compared"
        return HTTPStatus.OK, ""


def _stamp(path: Path) -> tuple[int, ...]:
    """Return size and time of a file; empty where it is not there."""
    try:
        state = path.stat()
    except OSError:
        return ()
    return state.st_size, state.st_mtime_ns


def _state(path: str, file: Served | None) -> State:
    if file is not None and path.startswith(f"{IMAGES}/"):
        return State.IMAGE
    return State.CONFIGURED if file is not None and file.is_first else State.DISCOVERED


def _header(scope: Scope, names: tuple[bytes, ...]) -> str:
    """Return what a system sends of itself; empty where it sends none of these headers."""
    for name, value in scope["headers"]:
        if name in names:
            text: str = value.decode("latin-1").strip()
            return text[:_LONGEST] if text.isprintable() else ""
    return ""


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def boot_files(
    fabric: Fabric, folder: Path, images: Path | None = None
) -> tuple[dict[str, Served], dict[str, Device]]:
    """Return the files of an export and its images, and the devices by address.

    Raises
    ------
    InputError
        When the folder is no export, or a file of it has changed since: nothing is served then.
    """
    devices = {one.address: one for one in managed(fabric)}
    names = {one.name: one for one in devices.values()}
    digests = digests_of(folder)
    if not digests:
        raise _refused(f"{folder} has no {MANIFEST}", "write it by `rocefab export ztp --out`")
    known = checked(fabric.intent, images) if images else {}
    files = {
        f"{IMAGES}/{name}": Served(path, "", is_first=False, stamp=_stamp(path))
        for name, path in known.items()
    }
    for row in read_json(folder / MANIFEST, FileKind.MANIFEST)["artefacts"]:
        place, _, below = row["path"].partition("/")
        if place == FOLDER:
            owner = names.get(str(row["device"]))
            files[below] = _served(folder / row["path"], below, digests[row["path"]], owner)
    return files, devices


def _served(path: Path, below: str, digest: str, owner: Device | None) -> Served:
    content = read_bytes(path, FileKind.RENDERED)
    if hashlib.sha256(content).hexdigest() != digest:
        raise _refused(f"{path} is not as it was exported", "run `rocefab export ztp` again")
    if owner is None:
        raise _refused(f"{path} is of no device of the inventory", "export into an empty folder")
    boot = boot_of(owner.platform)
    first = boot.file(owner) if boot else f"hosts/{owner.name}/user-data"
    return Served(content, owner.name, is_first=below == first)


def _refused(message: str, fix: str) -> InputError:
    finding = Finding("ZTP008", Severity.ERROR, message, fix, "--ztp")
    return InputError("nothing is served", [finding])
