"""Files that would hang or fill the memory of whoever reads them without care."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

#: What is no regular file, and how messages call it.
SPECIAL = {
    "folder": "a folder",
    "pipe": "a pipe",
    "link to a pipe": "a pipe",
    "device": "a device",
    "link to a device": "a device",
    "link to a link to a device": "a device",
    "socket": "a socket",
}
#: Contents that break readers without limits.
CONTENTS = {
    "nothing": b"",
    "deep JSON": b"[" * 200_000,
    "deep objects": b'{"a":' * 200_000,
    "deep YAML": b"- " * 200_000,
    "long number": b"9" * 20_000,
    "long number in JSON": b'{"devices": %b}' % (b"9" * 20_000),
    "not finite": b'{"devices": 1e999}',
    "half a surrogate": b'{"devices": "\xed\xa0\x80"}',
    "half a surrogate as an escape": b'{"devices": "\\ud800", "\\udfff": []}',
    "zero": b'{"devices": "\0"}\0',
    "mark of byte order": b"\xef\xbb\xbf{}",
    "UTF-16": '{"devices": {}}'.encode("utf-16"),
    "long line of spaces": b"interface" + b" " * 300_000 + b"to 1",
    "long line of commas": b"vlan 1" + b",2" * 150_000,
}


def hostile(path: Path, name: str) -> Path:
    """Return a path of this kind, made where it has to be."""
    if name in CONTENTS:
        path.write_bytes(CONTENTS[name])
    elif name == "huge":
        with path.open("wb") as file:
            file.truncate(100 << 30)  # without a block on the disk
    elif name == "folder":
        path.mkdir()
    elif name == "pipe":
        os.mkfifo(path)
    elif name == "link to a pipe":
        path.symlink_to(hostile(path.with_name(f"{path.name}-pipe"), "pipe"))
    elif name == "device":
        return type(path)("/dev/zero")
    elif name == "link to a device":
        path.symlink_to("/dev/zero")
    elif name == "link to a link to a device":
        path.symlink_to(hostile(path.with_name(f"{path.name}-link"), "link to a device"))
    else:
        _socket(path)
    return path


def _socket(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY)
    try:  # the name of a socket has 107 bytes at most
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(f"/proc/self/fd/{folder}/{path.name}")
    finally:
        os.close(folder)
