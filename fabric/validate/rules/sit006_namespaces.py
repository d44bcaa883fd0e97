"""SIT006: files of two fabrics have different names on a host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.topology.naming import names_in
from fabric.topology.site import kinds_of_shared_hosts
from fabric.validate.origins import fabric_place
from fabric.validate.rule import SiteRule, rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fabric.core.findings import Finding
    from fabric.topology.site import Member


@rules.add("SIT006")
class Namespaces(SiteRule):
    """Files of two fabrics have different names on a host."""

    why = (
        "The plan of one fabric would replace the addresses, scripts and units of the other: the "
        "NICs of that fabric lose their settings."
    )
    source = "docs/sites.md (names of files and units); netplan, systemd and nm-settings manuals"
    guards = ("host.namespace", "host.interfaces")

    def check(self, first: Member, second: Member) -> Iterator[Finding]:
        """Compare the namespaces, then names that a namespace and an interface make together."""
        taken, mine = (one.intent.fabric.host.namespace for one in (first, second))
        for host in kinds_of_shared_hosts(first, second):
            theirs = {_word(taken, nic.interface) for nic in names_in(first.intent, host)}
            both = sorted(
                theirs & {_word(mine, nic.interface) for nic in names_in(second.intent, host)}
            )
            if taken == mine:
                both = [mine or "no namespace"]
            if both:
                yield self.finding(
                    f"{host} is in the fabric {first.name} too, where its files have the same "
                    f"names ({both[0]})",
                    f"set host.namespace, such as {_proposal(second.name)}",
                    place=fabric_place(second.intent, "host", "namespace"),
                )
            if taken == mine:
                return


def _word(namespace: str, interface: str) -> str:
    return f"{namespace}-{interface}" if namespace else interface


def _proposal(name: str) -> str:
    """Return the name of a fabric as a namespace."""
    letters = "".join(letter for letter in name.lower() if letter.isascii() and letter.isalnum())
    return letters.lstrip("0123456789")[:16] or "storage"
