"""An exchange between NICs of the real lab: TCP flows of the hosts' kernels, and when they end."""

from __future__ import annotations

import ctypes
import os
import selectors
import socket
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")
#: Where ``ip netns`` keeps namespaces (iproute2, man ip-netns).
NAMESPACES = Path("/run/netns")
#: Linux include/uapi/linux/sched.h.
CLONE_NEWNET = 0x40000000
CHUNK = bytes(1 << 16)
PATIENCE_S = 60.0


@dataclass(frozen=True)
class Flow:
    """Bytes from one address to another; ``group`` is the exchange that it belongs to."""

    group: int
    source: str
    target: str
    size_bytes: int
    tos: int


@dataclass
class Stream:
    """A flow that runs: what the sender still has, and what the receiver still waits for."""

    flow: Flow
    sender: socket.socket
    receiver: socket.socket
    unsent: int = field(init=False)
    unseen: int = field(init=False)

    def __post_init__(self) -> None:
        self.unsent = self.unseen = self.flow.size_bytes


def inside(namespace: str, work: Callable[[], Result]) -> Result:
    """Run something in a network namespace, in a thread of its own; sockets stay there."""

    def entered() -> Result:
        libc = ctypes.CDLL(None, use_errno=True)
        with (NAMESPACES / namespace).open("rb") as file:
            if libc.setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"setns: {namespace}")
        return work()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(entered).result()


def _listen(addresses: Iterable[str]) -> dict[str, socket.socket]:
    return {address: socket.create_server((address, 0), backlog=1024) for address in addresses}


def _connect(flows: Iterable[Flow], ports: dict[str, int]) -> list[tuple[Flow, socket.socket]]:
    opened = []
    for flow in flows:
        sender = socket.socket()
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, flow.tos)
        sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
        sender.bind((flow.source, 0))
        sender.settimeout(PATIENCE_S)
        sender.connect((flow.target, ports[flow.target]))
        opened.append((flow, sender))
    return opened


def durations(flows: Iterable[Flow], homes: dict[str, str]) -> dict[int, float]:
    """Return how long each group takes, in s: until the last byte of its last flow is there.

    Parameters
    ----------
    homes : dict
        Namespace of each address.
    """
    flows = list(flows)
    addresses: dict[str, set[str]] = {}
    for flow in flows:
        for address in (flow.source, flow.target):
            addresses.setdefault(homes[address], set()).add(address)
    listeners: dict[str, socket.socket] = {}
    for home, own in addresses.items():
        listeners |= inside(home, partial(_listen, own))
    ports = {address: listener.getsockname()[1] for address, listener in listeners.items()}
    senders = []
    for home in addresses:
        leaving = [flow for flow in flows if homes[flow.source] == home]
        senders += inside(home, partial(_connect, leaving, ports))
    try:
        return _run(_joined(senders, listeners))
    finally:
        for each in (*listeners.values(), *(sender for _, sender in senders)):
            each.close()


def _joined(
    senders: list[tuple[Flow, socket.socket]], listeners: dict[str, socket.socket]
) -> list[Stream]:
    """Return each sender with the socket that accepted it."""
    accepted = {}
    for flow, _ in senders:
        receiver, peer = listeners[flow.target].accept()
        accepted[flow.target, peer] = receiver
    return [
        Stream(flow, sender, accepted[flow.target, sender.getsockname()])
        for flow, sender in senders
    ]


def _run(streams: list[Stream]) -> dict[int, float]:
    ended: dict[int, float] = {}
    left = dict.fromkeys(sorted({stream.flow.group for stream in streams}), 0)
    with selectors.DefaultSelector() as selector:
        for stream in streams:
            left[stream.flow.group] += 1
            for end, event in (
                (stream.sender, selectors.EVENT_WRITE),
                (stream.receiver, selectors.EVENT_READ),
            ):
                end.setblocking(False)
                selector.register(end, event, stream)
        start_s = time.monotonic()
        while any(left.values()):
            if time.monotonic() - start_s > PATIENCE_S:
                raise TimeoutError(f"exchange: {left} flows have not ended")
            for key, event in selector.select(1.0):
                stream = key.data
                if event & selectors.EVENT_WRITE:
                    stream.unsent -= stream.sender.send(CHUNK[: stream.unsent])
                    if not stream.unsent:
                        selector.unregister(stream.sender)
                elif data := os.read(stream.receiver.fileno(), len(CHUNK)):
                    stream.unseen -= len(data)
                    if not stream.unseen:
                        selector.unregister(stream.receiver)
                        stream.receiver.close()
                        left[stream.flow.group] -= 1
                        ended[stream.flow.group] = time.monotonic() - start_s
    return ended
