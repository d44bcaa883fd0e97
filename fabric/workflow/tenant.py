"""tenant: edits of the tenants of an inventory, which no switch sees before `plan` and `apply`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fabric.core import hostlist
from fabric.core.errors import InputError
from fabric.exchange.jobs import read_jobs, strange_hosts
from fabric.intent.documents import MAIN_FILE
from fabric.intent.inventory import load
from fabric.intent.tenancy_model import TENANT_FORM, TENANT_NAME
from fabric.intent.yaml import edit
from fabric.workflow.check import after_errors
from fabric.workflow.inventory_edit import Edited, InventoryEdit
from fabric.workflow.project import Project

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from fabric.intent.inventory import Intent, Located
    from fabric.intent.tenancy_model import Tenancy, Tenant

#: Rails of each host.
Members = dict[str, frozenset[int]]
#: Highest id (`TenantId`).
LAST_ID = 65_535
_TO_DEFAULT = (
    "run `rocefab plan`. Warning: tenancy.unassigned is keep, so that these NICs go into the "
    "default VRF, where they reach loopbacks, tunnel end points and each other; set it to "
    "quarantine first to shut them down instead"
)


@dataclass
class TenantEditor:
    """Edits the tenants of one inventory.

    Parameters
    ----------
    folder : Path
        Folder with ``fabric.yaml``.
    dry_run : bool
        Whether files stay as they are.
    jobs : mapping
        Hosts of each job that runs: no tenant loses one of them.
    """

    folder: Path
    dry_run: bool = False
    jobs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._intent = load(self.folder)
        self._edit = InventoryEdit(self.folder, self.dry_run)
        self._expected = {item.value.name: self._facts(item.value) for item in self._intent.tenants}

    def add(self, name: str, ident: int | None, fields: dict[str, object]) -> Edited:
        """Add a tenant in a file of its name.

        Parameters
        ----------
        ident : int or None
            Its id; None takes the lowest that no tenant has or had.
        fields : dict
            Other fields of `Tenant`; those that are empty are left out.
        """
        tenancy = self._tenancy()
        if not re.fullmatch(TENANT_NAME, name):
            raise InputError(f"{name[:40]!a} cannot be the name of a tenant; use {TENANT_FORM}")
        file = f"tenants/{name}.yaml"
        if (self.folder / file).exists():
            raise InputError(f"{file}: exists already; use another name, or remove the tenant")
        used = {item.value.id for item in self._intent.tenants} | set(tenancy.retired)
        lowest = next(number for number in range(1, 65_537) if number not in used)
        if lowest > LAST_ID and not ident:
            raise InputError("no id is free; release one by `rocefab tenant release-id`")
        given = {key: value for key, value in fields.items() if value}
        entry = {"name": name, "id": ident or lowest, **given}
        self._edit.write(file, f"tenants:\n  - {edit.flow(entry)}\n")
        self._expected.pop(name, None)
        give = "" if "hosts" in given else "run `rocefab tenant grant` to give it hosts, then "
        return self._written(f"{give}run `rocefab plan`")

    def grant(self, name: str, members: Members) -> Edited:
        """Give NICs without a tenant to one."""
        item = self._item(name)
        for host, rails in members.items():
            for other in self._intent.tenants:
                taken = self._has(other.value).get(host, frozenset()) & rails
                if taken:
                    which = f"rail {min(taken)} of {host}"
                    way = "it has it already" if other is item else "use `rocefab tenant move`"
                    raise InputError(f"{which} is in tenant {other.value.name}; {way}")
        self._give(item, members)
        return self._written("run `rocefab plan`")

    def revoke(self, name: str, members: Members) -> Edited:
        """Take NICs of a tenant away; they are in quarantine then, if the inventory has one."""
        self._take(self._item(name), members)
        quarantine = self._tenancy().unassigned == "quarantine"
        return self._written("run `rocefab plan`" if quarantine else _TO_DEFAULT)

    def move(self, name: str, members: Members) -> Edited:
        """Take the next step of a move: out of other tenants, then into one.

        Raises
        ------
        InputError
            When the NICs would be in the default VRF between.
        """
        item = self._item(name)
        if self._tenancy().unassigned != "quarantine":
            message = "NICs would be in the default VRF between the two tenants"
            raise InputError(f"{message}; set tenancy.unassigned: quarantine, plan and apply first")
        out = 0
        for other in self._intent.tenants:
            has = self._has(other.value)
            taken = {host: rails & has.get(host, frozenset()) for host, rails in members.items()}
            taken = {host: rails for host, rails in taken.items() if rails}
            if taken and other is not item:
                self._take(other, taken)
                out += len(taken)
        if not out:
            return self.grant(name, members)
        step = "step 1 of 2, quarantine: plan and apply it, wipe the hosts, then run this again"
        return self._written(step)

    def remove(self, name: str) -> Edited:
        """Remove a tenant without NICs, and retire its id."""
        item = self._item(name)
        if has := self._has(item.value):
            self._refuse_jobs(has)
            hosts = hostlist.fold(has)
            raise InputError(f"{name} has NICs of {hosts}; revoke them, plan and apply first")
        users = [other.value.name for other in self._intent.tenants if name in other.value.services]
        if users:
            raise InputError(f"{', '.join(users)} uses the service {name}; remove it there first")
        file, text = self._text(item)
        siblings = sum(other.document is item.document for other in self._intent.tenants)
        if siblings > 1:
            self._edit.write(file, edit.remove(text, item.path))
        elif file == MAIN_FILE:
            self._edit.write(file, edit.remove(text, item.path[:1]))
        else:
            self._edit.write(file, None)
        del self._expected[name]
        self._retire([*self._tenancy().retired, item.value.id])
        return self._written("run `rocefab plan`; release the id when every switch is verified")

    def release(self, ident: int) -> Edited:
        """Free the id of a removed tenant."""
        retired = self._tenancy().retired
        if ident not in retired:
            raise InputError(f"id {ident} is not retired; retired are {list(retired) or 'none'}")
        self._retire([one for one in retired if one != ident])
        return self._edit.written(self._says, "a new tenant may have the id")

    def _tenancy(self) -> Tenancy:
        tenancy = self._intent.fabric.tenancy
        if tenancy is None:
            raise InputError(f"{MAIN_FILE}: add tenancy with form: evpn or local first")
        return tenancy

    def _item(self, name: str) -> Located[Tenant]:
        for item in self._intent.tenants:
            if item.value.name == name:
                return item
        known = ", ".join(item.value.name for item in self._intent.tenants) or "none"
        raise InputError(f"there is no tenant {name!r}; tenants: {known}")

    def _has(self, tenant: Tenant) -> Members:
        every = frozenset(range(self._intent.fabric.rails))
        whole = dict.fromkeys(hostlist.expand(tenant.hosts) if tenant.hosts else (), every)
        return {**{host: frozenset(rails) for host, rails in tenant.nics.items()}, **whole}

    def _give(self, item: Located[Tenant], members: Members) -> None:
        has = self._has(item.value)
        self._write(item, {**has, **{h: has.get(h, frozenset()) | r for h, r in members.items()}})

    def _take(self, item: Located[Tenant], members: Members) -> None:
        has = self._has(item.value)
        self._refuse_jobs(members)
        for host, rails in members.items():
            if missing := rails - has.get(host, frozenset()):
                raise InputError(f"{item.value.name} does not have rail {min(missing)} of {host}")
        rest = {host: rails - members.get(host, frozenset()) for host, rails in has.items()}
        self._write(item, {host: rails for host, rails in rest.items() if rails})

    def _refuse_jobs(self, hosts: Iterable[str]) -> None:
        busy = set(hosts)
        for job, own in self.jobs.items():
            if both := busy.intersection(own):
                raise InputError(f"job {job} runs on {hostlist.fold(both)}; end it first")

    def _write(self, item: Located[Tenant], members: Members) -> None:
        """Write the members of a tenant: whole hosts as a range, others by their rails."""
        every = frozenset(range(self._intent.fabric.rails))
        whole = [host for host, rails in members.items() if rails == every]
        parts = {host: sorted(rails) for host, rails in members.items() if rails != every}
        self._expected[item.value.name] = members, self._facts(item.value)[1]
        file, text = self._text(item)
        hosts = hostlist.fold(whole) if whole else None
        for name, value, old in (
            ("hosts", hosts, item.value.hosts),
            ("nics", parts, {host: sorted(rails) for host, rails in item.value.nics.items()}),
        ):
            path = (*item.path, name)
            if value and value != old:
                text = (
                    self._nics(text, path, parts)
                    if name == "nics" and old
                    else edit.set_value(text, path, value)
                )
            elif old and not value:
                text = edit.remove(text, path)
        self._edit.write(file, text)

    @staticmethod
    def _nics(text: str, path: Sequence[str | int], parts: dict[str, list[int]]) -> str:
        """Return the text with other rails of hosts, each at its place."""
        old = edit.value_at(text, path)
        for host in old:
            if host not in parts:
                text = edit.remove(text, (*path, host))
        for host, rails in parts.items():
            if old.get(host) != rails:
                text = edit.set_value(text, (*path, host), rails)
        return text

    def _retire(self, ids: Iterable[int]) -> None:
        text = self._edit.text(MAIN_FILE)
        self._edit.write(MAIN_FILE, edit.set_value(text, ("tenancy", "retired"), sorted(set(ids))))

    def _text(self, item: Located[Tenant]) -> tuple[str, str]:
        """Return the file of a tenant below the folder, and its text as edited so far."""
        file = self._edit.file_of(item.document, "tenants")
        return file, self._edit.text(file)

    def _written(self, next_step: str) -> Edited:
        """Write the edit; the next step names the errors that `plan` would reject."""
        edited = self._edit.written(self._says, next_step)
        if self.dry_run:
            return edited
        return edited._replace(next_step=after_errors(Project(self.folder), next_step))

    def _says(self, intent: Intent) -> bool:
        """Tell whether the tenants are as expected, and no other one has changed."""
        facts = {item.value.name: self._facts(item.value) for item in intent.tenants}
        return all(facts.get(name) == own for name, own in self._expected.items())

    def _facts(self, tenant: Tenant) -> tuple[Members, Tenant]:
        """Return the members of a tenant, and all else that is said of it."""
        has = {host: rails for host, rails in self._has(tenant).items() if rails}
        return has, tenant.model_copy(update={"hosts": None, "nics": {}})


def running_jobs(file: Path | None, intent: Intent) -> dict[str, tuple[str, ...]]:
    """Return the hosts of each job of a list; none without a list.

    Raises
    ------
    InputError
        When it cannot be read, or has no host of the inventory: it is another list then.
    """
    jobs = read_jobs(file) if file else {}
    known = {name for unit in intent.fabric.units for name in hostlist.expand(unit.hosts)}
    if file:
        strange_hosts(jobs, known, file)
    return jobs


def members_of(intent: Intent, hosts: str, nics: Sequence[str]) -> Members:
    """Return the NICs that options name: ``gpu[001-004]``, and ``gpu005:0,1`` by rails.

    Raises
    ------
    InputError
        When there are none, or one cannot be read.
    """
    every = frozenset(range(intent.fabric.rails))
    try:
        members: Members = dict.fromkeys(hostlist.expand(hosts) if hosts else (), every)
    except ValueError as error:
        reason, fix = hostlist.worded(error, "use a range such as gpu[001-004]")
        raise InputError(f"--hosts: {reason}; {fix}") from error
    for text in nics:
        host, _, rails = text.partition(":")
        numbers = rails.split(",")
        if not all(number.isascii() and number.isdecimal() for number in numbers):
            raise InputError(f"{text!r} does not name a NIC; write HOST:RAIL, such as gpu001:0,1")
        members[host] = members.get(host, frozenset()) | {int(number) for number in numbers}
    if not members:
        raise InputError("name NICs by --hosts or --nic")
    return members
