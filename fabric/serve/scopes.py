"""What a token may do, and what each request needs."""

from __future__ import annotations

import re
from dataclasses import dataclass

READ, JOBS, PLANS, APPROVE, STOP = SCOPES = ("read", "jobs", "plans", "approve", "stop")
#: Scopes in which a person acts: whose name is in reviews and in the journal.
PERSONAL = frozenset((PLANS, APPROVE, STOP))
#: The word of earlier versions for all that is no reading.
WRITE = "write"
#: POSTs that ask and change nothing.
ASKING = (
    *("/v1/placements", "/v1/whatif", "/v1/map/failing", "/v1/generate"),
    *("/extender/filter", "/extender/prioritize"),
)
READING = ("GET", "HEAD", "OPTIONS")
#: Before the name of a tenant, in place of scopes.
TENANT = "tenant:"
#: Paths of changes; all others are of jobs and conditions.
_CHANGES = (
    (re.compile(r"/v1/plans/[^/]+/approval"), APPROVE),
    (re.compile(r"/v1/plans(/.*)?"), PLANS),
    (re.compile(r"/v1/runs(/.*)?"), STOP),
)


@dataclass(frozen=True, slots=True)
class Grant:
    """What the sender of a request may do, and who that is.

    Parameters
    ----------
    scopes : frozenset of str
        Words of ``SCOPES``; empty for who has no valid token.
    name : str
        Name of the token; empty for one without.
    key : str
        Whose share of the service it is: differs for each token; empty where there are no tokens.
    tenant : str
        Tenant whose hosts alone it sees; empty for operators.
    """

    scopes: frozenset[str] = frozenset()
    name: str = ""
    key: str = ""
    tenant: str = ""

    def __str__(self) -> str:
        return ", ".join(scope for scope in SCOPES if scope in self.scopes)


#: Who may use a service without tokens: everyone on its machine.
EVERYONE, NOBODY = Grant(frozenset(SCOPES)), Grant()


def scope_of(method: str, path: str) -> str:
    """Return the scope that a request needs."""
    if method in READING or path in ASKING:
        return READ
    return next((scope for pattern, scope in _CHANGES if pattern.fullmatch(path)), JOBS)


def for_tenants(method: str, path: str, tenant: str) -> bool:
    """Tell whether the token of a tenant may send a request: of its hosts, jobs and itself."""
    if method == "POST":
        return path == "/v1/placements"
    own = ("/v1/hosts", f"/v1/tenants/{tenant}")
    return method in READING and (path in own or path.startswith("/v1/hosts/"))


def granted(words: str, name: str) -> frozenset[str] | None:
    """Return the scopes of a line of a token file; None where a word is unknown.

    Parameters
    ----------
    words : str
        Scopes with commas between them. Each may read; ``write`` is what it was for a token with a
        name, and ``jobs`` for one without.
    """
    scopes = {READ, *words.split(",")}
    if WRITE in scopes:
        scopes = scopes - {WRITE} | ({*SCOPES} if name else {JOBS})
    return frozenset(scopes) if scopes <= {*SCOPES} else None
