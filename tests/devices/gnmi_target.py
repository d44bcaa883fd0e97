"""A gNMI target of the lab: leaves of a tree, over TLS, for who has the password.

What is known: gnmi.proto 0.8.0 and the specification beside it,
https://github.com/openconfig/reference/blob/master/rpc/gnmi/gnmi-specification.md: a subscription
of mode ONCE ends with ``sync_response``; credentials are metadata. What is assumed: real targets
put some hundred updates into a notification. Only Capabilities and Subscribe ONCE are there.
Paths lead where they lead in openconfig/gnmi (path/path.go ``ToStrings``, ctree/tree.go ``Query``):
names and values of keys in a row, of which ``*`` is any; a list without its keys is no path of an
entry. With ``collected`` it is a server of that code (subscribe/subscribe.go): the prefix must name
a target, and each leaf is a notification.

With ``tables`` it is the container ``telemetry`` of SONiC: sonic-net/sonic-gnmi
gnmi_server/client_subscribe.go and sonic_data_client/db_client.go. A target is a database; an
answer is one JSON of texts, at the path that was asked for; a path without rows has no answer; a
client that ends its side of the subscription gets no answer.
"""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import TracebackType

_ELEMENT = re.compile(r"/([^/\[\]]+)((?:\[[^=\]]+=[^\]]*\])*)")
_KEY = re.compile(r"\[([^=\]]+)=([^\]]*)\]")
_IN_ONE = 200
#: How long an end of the client may travel on loopback, in seconds.
_END_S = 0.2


def _steps(path: str) -> list[str]:
    """Return the names of a path, each with the values of its keys behind it, sorted by key."""
    return [
        step
        for name, keys in _ELEMENT.findall(path)
        for step in (name, *(value for _, value in sorted(_KEY.findall(keys))))
    ]


def _leads_to(asked: list[str], steps: list[str]) -> bool:
    """Tell whether a path that was asked for leads to a leaf, or to a tree with it."""
    pairs = zip(asked, steps, strict=False)
    return len(asked) <= len(steps) and all(name in {"*", step} for name, step in pairs)


@dataclass
class GnmiTarget:
    """A target on a free port of 127.0.0.1, while it is entered.

    Parameters
    ----------
    certificate, key : bytes
        Of the server, as PEM.
    username, password : str
        The only account.
    leaves : dict
        Values by path, ``/interfaces/interface[name=e1]/state/mtu``.
    encodings : tuple of str
        Names of ``Encoding``: without PROTO, values travel as JSON; without any, the target has no
        Capabilities.
    tables : dict
        Trees by ``TARGET:/path`` as SONiC has them, in place of the leaves.
    collected : collection of str
        Names of the targets that a collector serves.
    lies : list
        Messages that are sent in place of the leaves, one after the other.
    hangs : bool
        Whether nothing is answered to a subscription.
    """

    certificate: bytes
    key: bytes
    username: str
    password: str
    leaves: dict[str, Any]
    encodings: tuple[str, ...] = ("JSON", "PROTO", "JSON_IETF")
    tables: dict[str, dict[str, Any]] = field(default_factory=dict)
    collected: Collection[str] = ()
    lies: list[Any] = field(default_factory=list)
    hangs: bool = False
    where: str = "127.0.0.1"
    port: int = field(default=0, init=False)
    asked: list[str] = field(default_factory=list, init=False)

    def __enter__(self) -> Self:
        os.environ.setdefault("GRPC_VERBOSITY", "NONE")
        import grpc
        from pygnmi.spec.v080 import gnmi_pb2, gnmi_pb2_grpc

        self._grpc, self._messages = grpc, gnmi_pb2
        self._pool = ThreadPoolExecutor(4)
        self._server = grpc.server(self._pool)
        gnmi_pb2_grpc.add_gNMIServicer_to_server(self, self._server)
        credentials = grpc.ssl_server_credentials([(self.key, self.certificate)])
        self.port = self._server.add_secure_port(f"{self.where}:0", credentials)
        self._server.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.stop(None).wait()
        self._pool.shutdown(wait=False)

    def Capabilities(self, request: Any, context: Any) -> Any:  # noqa: N802 - the name of the call
        """Tell the encodings; a target without any does not know the call."""
        self._check(context)
        if not self.encodings:
            said = "method Capabilities not implemented"
            context.abort(self._grpc.StatusCode.UNIMPLEMENTED, said)
        values = [self._messages.Encoding.Value(name) for name in self.encodings]
        return self._messages.CapabilityResponse(supported_encodings=values, gNMI_version="0.8.0")

    def Get(self, request: Any, context: Any) -> None:  # noqa: N802
        """Refuse."""
        context.abort(self._grpc.StatusCode.UNIMPLEMENTED, "not in the lab")

    Set = Get

    def Subscribe(self, requests: Iterator[Any], context: Any) -> Iterator[Any]:  # noqa: N802
        """Yield the leaves below the paths of a subscription of mode ONCE."""
        self._check(context)
        asked = next(requests).subscribe
        if asked.mode != self._messages.SubscriptionList.ONCE:
            context.abort(self._grpc.StatusCode.UNIMPLEMENTED, "only ONCE is in the lab")
        target = asked.prefix.target
        if self.collected:
            self._refuse_targets(target, context)
        if self.hangs:
            gone = Event()
            if context.add_callback(gone.set):
                gone.wait()
        yield from self.lies
        if self.tables:
            self._refuse_strangers(requests, target, context)
        for subscription in asked.subscription:
            path = "".join(
                f"/{one.name}" + "".join(f"[{key}={one.key[key]}]" for key in sorted(one.key))
                for one in subscription.path.elem
            )
            if self.tables:
                yield from self._table(target, path)
                continue
            self.asked.append(path)
            yield from self._notifications(path, target, as_json=asked.encoding != self._proto)
        yield self._messages.SubscribeResponse(sync_response=True)

    def _refuse_targets(self, target: str, context: Any) -> None:
        """Refuse what a collector refuses."""
        status = self._grpc.StatusCode
        if not target:
            context.abort(status.INVALID_ARGUMENT, "missing target")
        if target != "*" and target not in self.collected:
            context.abort(status.NOT_FOUND, f'no such target: "{target}"')

    def _refuse_strangers(self, requests: Iterator[Any], target: str, context: Any) -> None:
        """Refuse a target that is no database, and a client that has ended its side."""
        status = self._grpc.StatusCode
        if not target:
            context.abort(status.UNIMPLEMENTED, "Empty target data not supported")
        ended = Event()
        Thread(target=_wait, args=(requests, ended), daemon=True).start()
        if ended.wait(_END_S):
            context.abort(status.INVALID_ARGUMENT, "queue: disposed")

    def _table(self, target: str, path: str) -> Iterator[Any]:
        self.asked.append(f"{target}:{path}")
        if rows := self.tables.get(f"{target}:{path}"):
            messages = self._messages
            update = messages.Update(path=self._path(path), val=self._value(rows, as_json=True))
            prefix = messages.Path(target=target)
            notification = messages.Notification(timestamp=1, prefix=prefix, update=[update])
            yield messages.SubscribeResponse(update=notification)

    @property
    def _proto(self) -> int:
        return int(self._messages.Encoding.Value("PROTO"))

    def _check(self, context: Any) -> None:
        sent = dict(context.invocation_metadata())
        if (sent.get("username"), sent.get("password")) != (self.username, self.password):
            said = f"no such account: {sent.get('username')} {sent.get('password')}"
            context.abort(self._grpc.StatusCode.UNAUTHENTICATED, said)

    def _notifications(self, asked: str, target: str, *, as_json: bool) -> Iterator[Any]:
        prefix = self._messages.Path(target=target) if target else None
        steps, size = _steps(asked), 1 if self.collected else _IN_ONE
        rows = [
            self._messages.Update(path=self._path(path), val=self._value(value, as_json=as_json))
            for path, value in self.leaves.items()
            if _leads_to(steps, _steps(path))
        ]
        for start in range(0, len(rows), size):
            update = self._messages.Notification(
                timestamp=1, prefix=prefix, update=rows[start : start + size]
            )
            yield self._messages.SubscribeResponse(update=update)

    def _path(self, text: str) -> Any:
        return self._messages.Path(
            elem=[
                self._messages.PathElem(name=name, key=dict(_KEY.findall(keys)))
                for name, keys in _ELEMENT.findall(text)
            ]
        )

    def _value(self, value: Any, *, as_json: bool) -> Any:
        if as_json or isinstance(value, dict | list):
            return self._messages.TypedValue(json_ietf_val=json.dumps(value).encode())
        if isinstance(value, bool):
            return self._messages.TypedValue(bool_val=value)
        if isinstance(value, int):
            return self._messages.TypedValue(uint_val=value)
        return self._messages.TypedValue(string_val=value)


def _wait(requests: Iterator[Any], ended: Event) -> None:
    """Set the event when the client ends its side; a call that is over raises."""
    with suppress(Exception):
        next(requests, None)
        ended.set()
