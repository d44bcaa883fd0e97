"""NetBox over its REST API: what it has of a site, as plain data, and objects that are written."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from fabric.core.errors import ConnectionLostError, DeviceError, InputError, RefusedError
from fabric.core.findings import Finding, Severity
from fabric.core.shown import printable
from fabric.devices.redaction import without

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Application and endpoint in pynetbox, by the name of the endpoint in the API.
_ENDPOINTS = {
    "devices": ("dcim", "devices"),
    "interfaces": ("dcim", "interfaces"),
    "cables": ("dcim", "cables"),
    "ip-addresses": ("ipam", "ip_addresses"),
}
#: The same for all that a push compares; those of a site are read of that site alone.
_COMPARED = {
    "tags": ("extras", "tags", ""),
    "custom-fields": ("extras", "custom_fields", ""),
    "sites": ("dcim", "sites", ""),
    "manufacturers": ("dcim", "manufacturers", ""),
    "device-types": ("dcim", "device_types", ""),
    "device-roles": ("dcim", "device_roles", ""),
    "platforms": ("dcim", "platforms", ""),
    "racks": ("dcim", "racks", "site_id"),
    "devices": ("dcim", "devices", "site_id"),
    "tenants": ("tenancy", "tenants", ""),
    "route-targets": ("ipam", "route_targets", ""),
    "vrfs": ("ipam", "vrfs", ""),
    "interfaces": ("dcim", "interfaces", "site_id"),
    "mac-addresses": ("dcim", "mac_addresses", ""),
    "ip-addresses": ("ipam", "ip_addresses", ""),
    "cables": ("dcim", "cables", "site_id"),
}
#: Statuses after which the same request may succeed (RFC 9110, 15.6; RFC 6585, 4).
_AGAIN = (429, 500, 502, 503, 504)
_READS_AGAIN = 3
_UNAUTHORISED = (401, 403)
#: Objects of one answer: NetBox' own limit, MAX_PAGE_SIZE (netbox/netbox/config/parameters.py).
_PAGE = 1000
_TIMEOUT_S = 60
_MAX_REASON = 300
#: What reading an answer of another shape ends in.
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, RecursionError)


def read_netbox(
    url: str, token: str, site: str, progress: Callable[[str, str], None]
) -> dict[str, list[dict[str, Any]]]:
    """Return devices, interfaces, cables and addresses.

    Parameters
    ----------
    token : str
        Token of the API; empty where reading needs none.
    site : str
        Slug of a site; empty is all.

    Raises
    ------
    InputError
        When pynetbox is not installed.
    DeviceError
        When NetBox cannot be reached, or refuses.
    """
    pynetbox = _library()
    import requests

    api = pynetbox.api(url, token=token or None)
    api.http_session = _session()
    tables: dict[str, list[dict[str, Any]]] = {}
    try:
        always, by_site = _reading(api)
        for name, (application, endpoint) in _ENDPOINTS.items():
            source = getattr(getattr(api, application), endpoint)
            filters = always | ({by_site: site} if site and name != "ip-addresses" else {})
            rows = source.filter(limit=_PAGE, **filters) if filters else source.all(limit=_PAGE)
            tables[name] = [dict(row) for row in rows]
            progress("netbox", f"{len(tables[name])} {name}")
    except (pynetbox.RequestError, pynetbox.ContentError, requests.RequestException) as error:
        reason = without(str(error), token)
        raise DeviceError("netbox", f"cannot be read: {reason[:300]}") from None
    return tables


def _reading(api: Any) -> tuple[dict[str, Any], str]:
    """Return the filters of every request, and the one that names a site.

    Nautobot gives nested objects their names with ``depth`` alone, an address its interfaces with
    ``exclude_m2m=false`` since 3.0 (nautobot/nautobot, nautobot/core/api/serializers.py), and
    calls a site a location.
    """
    version = _nautobot_version(api)
    if not version:
        return {}, "site"
    many = {} if version.startswith("2.") else {"exclude_m2m": "false"}
    return {"depth": 1, **many}, "location"


def _nautobot_version(api: Any) -> str:
    """Return the version of Nautobot by its status; nothing for NetBox.

    Source: nautobot/nautobot, nautobot/core/api/views.py.
    """
    import pynetbox

    try:
        return str(api.status().get("nautobot-version", ""))
    except pynetbox.RequestError:
        return ""


class NetBox:
    """A NetBox that is read and written; the token is in no message.

    Raises
    ------
    InputError
        When pynetbox is not installed.
    RefusedError
        When it is a Nautobot.
    """

    def __init__(self, url: str, token: str) -> None:
        self._library = _library()
        self._token = token
        self._api = self._library.api(url, token=token or None)
        self._api.http_session = _session()
        with self._said("its status cannot be read"):
            if _nautobot_version(self._api):
                what = "Nautobot takes no push: its objects have another form; import its dump"
                raise RefusedError("netbox", what)

    def tables(
        self, site: str, progress: Callable[[str, str], None]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return all objects that a push compares, by kind.

        Parameters
        ----------
        site : str
            Slug of the site; where there is none, it has no devices.

        Raises
        ------
        DeviceError
            When NetBox cannot be reached, or refuses.
        """
        tables: dict[str, list[dict[str, Any]]] = {}
        for kind, (_, _, by) in _COMPARED.items():
            sites = [row["id"] for row in tables.get("sites", ()) if row.get("slug") == site]
            filters = {by: sites[0]} if by and sites else {}
            tables[kind] = [] if by and not sites else self._read(kind, filters)
            progress("netbox", f"{len(tables[kind])} {kind}")
        return tables

    def _read(self, kind: str, filters: dict[str, Any]) -> list[dict[str, Any]]:
        endpoint = self._endpoint(kind)
        with self._said(f"{kind} cannot be read"):
            rows = endpoint.filter(limit=_PAGE, **filters) if filters else endpoint.all(limit=_PAGE)
            tables = [dict(row) for row in rows]
            if not all(isinstance(row.get("id"), int) for row in tables):
                raise ValueError(kind)
            return tables

    def create(self, kind: str, objects: list[dict[str, Any]]) -> list[int]:
        """Create objects, all or none of them; return their numbers in the same order.

        Raises
        ------
        RefusedError
            When NetBox does not accept one of them.
        DeviceError
            When it cannot be reached, or allows no change; a `ConnectionLostError` where it may
            be tried again after a look at what was written.
        """
        with self._said(f"{kind} cannot be created"):
            return [int(row.id) for row in self._endpoint(kind).create(objects)]

    def change(self, kind: str, objects: list[dict[str, Any]]) -> None:
        """Change objects, each with its ``id``, as `create`."""
        with self._said(f"{kind} cannot be changed"):
            self._endpoint(kind).update(objects)

    def delete(self, kind: str, numbers: list[int]) -> None:
        """Delete objects, as `create`."""
        with self._said(f"{kind} cannot be deleted"):
            self._endpoint(kind).delete(numbers)

    def _endpoint(self, kind: str) -> Any:
        application, endpoint, _ = _COMPARED[kind]
        return getattr(getattr(self._api, application), endpoint)

    @contextmanager
    def _said(self, what: str) -> Iterator[None]:
        import requests

        known = (self._library.RequestError, self._library.AllocationError)
        try:
            yield
        except known as error:
            response = error.req
            reason = f"{what}: {response.status_code}: {self._reason(response)}"
            if response.status_code in _AGAIN:
                raise ConnectionLostError("netbox", reason) from None
            if response.status_code in _UNAUTHORISED:
                raise DeviceError("netbox", reason) from None
            raise RefusedError("netbox", reason) from None
        except requests.RequestException as error:
            reason = without(printable(str(error)), self._token)[:_MAX_REASON]
            raise ConnectionLostError("netbox", f"{what}: {reason}") from None
        except (self._library.ContentError, *_MALFORMED):
            raise DeviceError("netbox", f"{what}: the answer is not one of NetBox") from None

    def _reason(self, response: Any) -> str:
        """Return the errors of the fields that NetBox names, or the text of the answer."""
        try:
            body = response.json()
        except ValueError:
            body = str(response.text)
        text = "; ".join(dict.fromkeys(_errors(body)))
        return without(printable(text), self._token)[:_MAX_REASON]


def _errors(body: Any, field: str = "") -> Iterable[str]:
    """Yield the errors of an answer, each with its field."""
    if isinstance(body, dict):
        for name, value in body.items():
            yield from _errors(value, str(name))
    elif isinstance(body, list):
        for value in body:
            yield from _errors(value, field)
    else:
        yield f"{field}: {body}" if field else str(body)


def _library() -> Any:
    try:
        import pynetbox
    except ImportError:
        fix = "install it: pip install 'rocefab[netbox]'"
        finding = Finding("EXC014", Severity.ERROR, "pynetbox is not installed", fix)
        raise InputError("NetBox cannot be read", [finding]) from None
    return pynetbox


def _session() -> Any:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    class _Timed(requests.Session):
        def request(self, *args: Any, **kwargs: Any) -> requests.Response:
            kwargs.setdefault("timeout", _TIMEOUT_S)
            return super().request(*args, **kwargs)

    again = Retry(
        total=_READS_AGAIN,
        backoff_factor=0.3,
        status_forcelist=_AGAIN,
        allowed_methods=frozenset({"GET"}),
        raise_on_status=False,
    )
    session = _Timed()
    for scheme in ("http://", "https://"):
        session.mount(scheme, HTTPAdapter(max_retries=again))
    return session
