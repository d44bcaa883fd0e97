"""NetBox over its REST API: what it has of a site, as plain data; nothing is ever written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fabric.core.errors import DeviceError, InputError
from fabric.core.findings import Finding, Severity
from fabric.devices.redaction import without

if TYPE_CHECKING:
    from collections.abc import Callable

#: Application and endpoint in pynetbox, by the name of the endpoint in the API.
_ENDPOINTS = {
    "devices": ("dcim", "devices"),
    "interfaces": ("dcim", "interfaces"),
    "cables": ("dcim", "cables"),
    "ip-addresses": ("ipam", "ip_addresses"),
}
#: Objects of one answer: NetBox' own limit, MAX_PAGE_SIZE (netbox/netbox/config/parameters.py).
_PAGE = 1000
_TIMEOUT_S = 60


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
        for name, (application, endpoint) in _ENDPOINTS.items():
            source = getattr(getattr(api, application), endpoint)
            filters = {"site": site} if site and name != "ip-addresses" else {}
            rows = source.filter(limit=_PAGE, **filters) if filters else source.all(limit=_PAGE)
            tables[name] = [dict(row) for row in rows]
            progress("netbox", f"{len(tables[name])} {name}")
    except (pynetbox.RequestError, pynetbox.ContentError, requests.RequestException) as error:
        reason = without(str(error), token)
        raise DeviceError("netbox", f"cannot be read: {reason[:300]}") from None
    return tables


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

    class _Timed(requests.Session):
        def request(self, *args: Any, **kwargs: Any) -> requests.Response:
            kwargs.setdefault("timeout", _TIMEOUT_S)
            return super().request(*args, **kwargs)

    return _Timed()
