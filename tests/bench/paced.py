"""Sends placements at set times, whatever the answers take: ``paced URL HOW SECONDS FIRST MOST``.

MOST is the size of the largest job.

A tool whose clients wait for their answer and then pause sends less the slower the service is, and
its clients stay in step: they queue behind each other each time. Here each request has a time, and
its latency counts from it, also where no client was free to send it.
"""

from __future__ import annotations

import json
import random
import select
import socket
import sys
import time
from collections import deque
from itertools import accumulate, count

CLIENTS, RATE, HOSTS = 8, 200, 16384
SIZES = (2, 4, 8, 16, 32, 64, 128, 256)
KINDS = ("ring", "all-to-all", "ring:1,all-to-all:1")


def times(how: str, seconds: float) -> list[float]:
    """Return when requests are sent: evenly, as independent clients do, or by all at once."""
    total = int(seconds * RATE)
    if how == "steady":
        return [number / RATE for number in range(total)]
    if how == "bursts":
        return [number // CLIENTS * CLIENTS / RATE for number in range(total)]
    chance = random.Random(1)
    return list(accumulate(chance.expovariate(RATE) for _ in range(total)))


def request(number: int, most: int = SIZES[-1]) -> bytes:
    """Return a request that no other number has."""
    sizes = [size for size in SIZES if size <= most]
    size, kind = sizes[number % len(sizes)], KINDS[number % len(KINDS)]
    wanted = {"nodes": size, "traffic": kind, "exclude": [f"h{number % HOSTS:05d}"]}
    body = json.dumps(wanted).encode()
    head = "POST /v1/placements HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


class Client:
    """One connection; it has at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.due_s = 0.0
        self._got = b""

    def send(self, content: bytes, due_s: float) -> None:
        """Send a request that was due at a time."""
        self.due_s, self._got = due_s, b""
        self.socket.sendall(content)

    def status(self) -> int | None:
        """Read what has come; return the status when it is the whole answer."""
        self._got += self.socket.recv(1 << 20)
        head, end, body = self._got.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
        return int(head[9:12]) if end and len(body) >= int(length) else None


def run(
    port: int, how: str, seconds: float, first: int, most: int = SIZES[-1]
) -> tuple[list[float], int]:
    """Return the latency of each request in ms, and how many were not answered with 200."""
    free = deque(Client(port) for _ in range(CLIENTS))
    busy: dict[socket.socket, Client] = {}
    taken_ms, wrong, numbers = [], 0, count(first)
    began_s = time.perf_counter() + 0.2
    plan = deque(began_s + at_s for at_s in times(how, seconds))
    while plan or busy:
        now_s = time.perf_counter()
        while plan and free and plan[0] <= now_s:
            client = free.popleft()
            busy[client.socket] = client
            client.send(request(next(numbers), most), plan.popleft())
        wait_s = max(0.0, plan[0] - time.perf_counter()) if plan and free else 1.0
        for ready in select.select([*busy], [], [], wait_s)[0]:
            status = busy[ready].status()
            if status is not None:
                client = busy.pop(ready)
                taken_ms.append((time.perf_counter() - client.due_s) * 1e3)
                wrong += status != 200
                free.append(client)
    return taken_ms, wrong


def main(url: str, how: str, seconds: str, first: str, most: str = str(SIZES[-1])) -> None:
    """Print the figures as the script of wrk does."""
    taken_ms, wrong = run(int(url.rpartition(":")[2]), how, float(seconds), int(first), int(most))
    taken_ms.sort()
    shown = (
        taken_ms[min(int(len(taken_ms) * share), len(taken_ms) - 1)]
        for share in (0.5, 0.99, 0.999, 1)
    )
    figures = " ".join(f"{value:.3f}" for value in shown)
    print(f"FIGURES {len(taken_ms)} {len(taken_ms) / float(seconds):.0f} {wrong} {figures}")


if __name__ == "__main__":
    main(*sys.argv[1:])
