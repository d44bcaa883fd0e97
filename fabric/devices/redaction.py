"""Takes passwords, hashes, keys and communities out of configuration text and messages.

Sources: Arista EOS user manual, commands of AAA, SNMP, NTP, BGP, OSPF, IS-IS, VRRP, MACsec and
TerminAttr; Comware V7 command reference, SNMP; Huawei CloudEngine command reference (``cipher``,
``snmp-agent community``). What follows a word that announces a secret goes, up to the end of the
line: rather too much than a part of a key.
"""

from __future__ import annotations

import re

_SECRET = re.compile(
    r"""
    (
      \b(?:secret|cipher|password|passphrase|passwd|key-string|shared-secret|pre-shared-key
          |message-digest-key|authentication-key|auth(?:entication)?-string|md5
          |snmp(?:-server)?\ community|snmp-agent\ (?:community(?:\ (?:read|write))?|usm-user)
          |snmp-server\ host\ .*?version\ (?:1|2c)
          |snmp-server\ user\ .*?\bauth|\bpriv)
      (?=\ )
    | (?<![-\w])key(?=\ )(?!\ chain|\ \d+$)
    | -(?:ingest|cv)auth=\w+,
    )
    .+
    """,
    re.VERBOSE,
)


#: Shorter than any password that is worth guessing at: NIST SP 800-63B 3.1.1 wants 8 at least.
_SHORT = 8
_PRIVATE_KEY = re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|\Z)", re.DOTALL)


def redacted(text: str) -> str:
    """Return a text in which ``***`` stands for every secret."""
    return _SECRET.sub(r"\1 ***", _PRIVATE_KEY.sub(r"\1 *** \2", text))


def shortened(text: str, most_characters: int = 300) -> str:
    """Return a text on one line, without secrets and without its end when it is long."""
    return " ".join(redacted(text).split())[:most_characters]


def without(text: str, secret: str) -> str:
    """Return a text in which ``***`` stands for one secret that is known.

    A short one is looked for as a word of its own: a token of one letter does not mask that letter
    everywhere, which would tell what it is.
    """
    if not secret:
        return text
    whole = re.escape(secret)
    if len(secret) < _SHORT:
        whole = rf"(?<![A-Za-z0-9]){whole}(?![A-Za-z0-9])"
    return re.sub(whole, "***", text)
