"""NetBox: the cables between interfaces, those with several ends as one cable for each lane.

Shapes: netbox-community/netbox v4.6.8, netbox/dcim/api/serializers_/cables.py and base.py. A cable
has one or more terminations at each end. With a profile (netbox/dcim/cable_profiles.py) each
interface has the one ``connected_endpoints`` that its lane leads to; without, it has all of them.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from fabric.exchange.lanes import Lane
from fabric.exchange.netbox_words import name_of, objects

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from fabric.exchange.netbox_words import Row
    from fabric.exchange.plant import End


def peers(row: Row) -> list[End]:
    """Return the ends that an interface is connected to, through whatever is between them."""
    found = objects(row.get("connected_endpoints"))
    ends = ((name_of(item.get("device")), name_of(item)) for item in found)
    return [end for end in ends if all(end)]


def with_peers(row: Row, by_id: Mapping[str, End]) -> Row:
    """Return an interface of Nautobot with its peer as NetBox has it.

    Nautobot has one ``connected_endpoint``, whose device has no name with ``?depth=1``
    (PathEndpointModelSerializerMixin, nautobot/nautobot, nautobot/dcim/api/serializers.py).
    """
    peer = row.get("connected_endpoint")
    end = by_id.get(str(peer.get("id"))) if isinstance(peer, dict) else None
    if end is None:
        return row
    return {**row, "connected_endpoints": [{"device": end[0], "name": end[1]}]}


def pairs(one: list[End], other: list[End], interfaces: Mapping[End, Row]) -> list[tuple[End, End]]:
    """Return which end is cabled to which; nothing where the source does not tell.

    Parameters
    ----------
    one, other : list of End
        The ends of both sides, in the order of the source.
    interfaces : mapping
        Interfaces by device and name.
    """
    few, many = sorted((one, other), key=len)
    joined: list[tuple[End, End]] = []
    for place, end in enumerate(many):
        near = [peer for peer in peers(interfaces.get(end, {})) if peer in few]
        if len(near) == 1:
            joined.append((near[0], end))
        elif len(few) == len(many):
            joined.append((few[place], end))
        elif len(few) == 1:
            joined.append((few[0], end))
        else:
            return []
    return joined


def laned(joined: Iterable[tuple[End, End]]) -> tuple[list[tuple[End, End]], dict[End, Lane]]:
    """Return the pairs with one name for each lane of an end that has several, and the lanes."""
    joined = list(joined)
    uses = Counter(end for pair in joined for end in pair)
    so_far: Counter[End] = Counter()
    lanes: dict[End, Lane] = {}

    def named(end: End) -> End:
        if uses[end] == 1:
            return end
        so_far[end] += 1
        part = (end[0], f"{end[1]}:{so_far[end]}")
        lanes[part] = Lane(end[1], so_far[end] - 1, uses[end])
        return part

    return [(named(one), named(other)) for one, other in joined], lanes


def paths(interfaces: Mapping[End, Row], decided: Collection[End]) -> list[tuple[End, End]]:
    """Return the pairs that are connected through patch panels; each once.

    Parameters
    ----------
    decided : collection of End
        Ends that are in no such pair, as their cables tell what they are connected to.
    """
    found: dict[frozenset[End], tuple[End, End]] = {}
    for end, row in interfaces.items():
        ends = peers(row)
        for other in ends:
            lone = len(ends) == 1 or len(peers(interfaces.get(other, {}))) == 1
            if lone and other != end and end not in decided and other not in decided:
                found.setdefault(frozenset((end, other)), (end, other))
    return list(found.values())
