"""A small client of the service; it needs httpx alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

try:
    import httpx
except ModuleNotFoundError as error:
    message = f"fabric.client needs the package {error.name}; pip install httpx"
    raise ModuleNotFoundError(message, name=error.name) from error

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping, Sequence

__all__ = ["Client", "Placement", "ServiceProblem"]


class ServiceProblem(Exception):  # noqa: N818 - RFC 9457 calls it a problem
    """The service answered with an error.

    Parameters
    ----------
    status : int
        Status code; 409 when there is no place now.
    detail : str
        What is wrong.
    findings : tuple of dict
        Each thing that is wrong: ``rule``, ``severity``, ``message``, ``fix``, ``field``; its
        place, as ``file``, ``line``, ``column``; ``device`` and ``port``.
    """

    def __init__(self, status: int, detail: str, findings: tuple[dict[str, Any], ...] = ()) -> None:
        lines = [_line(one) for one in findings]
        only = findings[0] if len(findings) == 1 else {}
        head = [] if only.get("message") == detail else [detail]  # its line says the same
        super().__init__(f"{status}: " + "\n".join([*head, *lines]))
        self.status = status
        self.detail = detail
        self.findings = findings


def _line(finding: dict[str, Any]) -> str:
    """Return a finding as a line: what it is about, what is wrong, and what to do."""
    subject = " ".join(filter(None, (finding.get("device"), finding.get("port"))))
    what = ": ".join(filter(None, (finding["field"], subject, finding["message"])))
    return "; ".join(filter(None, (what, finding["fix"])))


@dataclass(frozen=True)
class Placement:
    """Hosts for a job.

    Parameters
    ----------
    hosts : tuple of str
        Hosts in rank order.
    hostlist : str
        The same as a range, in the order of names; `hosts` has the order of ranks.
    cost : float
        Load of the fullest link, NIC or cable.
    bound : float
        Least load of the fullest cable of any choice, or the target where that is more.
    reason : str
        Why these hosts.
    warnings : tuple of str
        Named hosts that take no job now, hosts without a plane that others have, and what makes
        the answer less certain.
    data : dict
        The whole answer, as documented in /openapi.json.
    """

    hosts: tuple[str, ...]
    hostlist: str
    cost: float
    bound: float
    reason: str
    warnings: tuple[str, ...]
    data: dict[str, Any]


class Client:
    """Asks one service.

    Parameters
    ----------
    url : str
        Address, such as ``https://fabric.example.net:8780``; one that ends in ``/v1`` is the same.
    token : str
        Bearer token; empty sends none.
    timeout_s : float
        Longest time of a request.
    verify : bool or ssl.SSLContext
        How the certificate is checked; see httpx.
    """

    def __init__(
        self,
        url: str,
        token: str = "",
        *,
        timeout_s: float = 10.0,
        verify: bool | ssl.SSLContext = True,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        base = url.rstrip("/").removesuffix("/v1")  # paths begin with it
        self._http = httpx.Client(base_url=base, headers=headers, timeout=timeout_s, verify=verify)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def place(self, nodes: int | None = None, **wanted: Any) -> Placement:
        """Return hosts for a job.

        Parameters
        ----------
        nodes : int or None
            Hosts; may be omitted with ``hosts``.
        wanted
            Other members of the request: ``traffic``, ``layout``, ``exclude``, ``within``, ...

        Raises
        ------
        ServiceProblem
            When there is no place now (409), or the request is wrong or never fits (422).
        """
        body = wanted if nodes is None else {"nodes": nodes, **wanted}
        data = self.ask("POST", "/v1/placements", body).json()
        return Placement(
            tuple(data["hosts"]),
            data["hostlist"],
            data["cost"],
            data["bound"],
            data["reason"],
            tuple(data["warnings"]),
            data,
        )

    def start_job(
        self, name: str, hosts: Sequence[str] | str, *, key: str = "", **traffic: Any
    ) -> tuple[str, ...]:
        """Note a job that runs; with a key, the same request can be sent again after a failure.

        Returns which of its hosts are not as planned, and why.
        """
        listed = hosts if isinstance(hosts, str) else list(hosts)
        headers = {"Idempotency-Key": key} if key else {}
        body = {"name": name, "hosts": listed, **traffic}
        return tuple(self.ask("POST", "/v1/jobs", body, headers).json().get("warnings", ()))

    def end_job(self, name: str) -> None:
        """Remove a job."""
        self.ask("DELETE", f"/v1/jobs/{name}")

    def state(self) -> tuple[dict[str, Any], str]:
        """Return the conditions by subject, and the ETag of the state."""
        answer = self.ask("GET", "/v1/state")
        conditions: dict[str, Any] = answer.json()["conditions"]
        return conditions, answer.headers["etag"]

    def update_state(
        self, conditions: Mapping[str, Mapping[str, Any] | None], etag: str = ""
    ) -> None:
        """Add or replace conditions, and remove those that are None; others stay."""
        headers = {"If-Match": etag} if etag else {}
        self.ask("PATCH", "/v1/state", {"conditions": dict(conditions)}, headers)

    def ask(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """Return the answer to any request.

        Raises
        ------
        ServiceProblem
            When the service answered with an error.
        httpx.HTTPError
            When it did not answer.
        """
        answer = self._http.request(method, path, json=body, headers=headers)
        if answer.is_error:
            kind = answer.headers.get("content-type", "")
            problem = answer.json() if kind == "application/problem+json" else {}
            findings = tuple(problem.get("findings", ()))
            raise ServiceProblem(
                answer.status_code, problem.get("detail", answer.reason_phrase), findings
            )
        return answer
