"""How many classes of packets a header can tell apart."""

from __future__ import annotations

#: Differentiated services code points, 6 bits (RFC 2474 section 3).
DSCPS = 64
