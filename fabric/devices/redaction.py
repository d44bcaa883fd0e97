"""Takes passwords, hashes, keys and communities out of configuration text and messages.

Sources: Arista EOS user manual, commands of AAA, SNMP, NTP, BGP, OSPF, IS-IS, VRRP, MACsec and
TerminAttr; Comware V7 command reference, SNMP; Huawei CloudEngine command reference (``cipher``,
``snmp-agent community``); sonic-net/sonic-buildimage, src/sonic-yang-models (``passkey`` of
servers, ``SNMP_COMMUNITY`` whose rows are named by the community). What follows a word that
announces a secret goes, up to the end of the line: rather too much than a part of a key.
"""

from __future__ import annotations

import re

#: Fields and tables of CONFIG_DB that hold passwords, keys and communities.
SECRET_FIELD = re.compile(r"passw|passkey|secret|auth_key|community", re.IGNORECASE)
_SECRET = re.compile(
    r"""
    (
      \b(?:secret|cipher|password|passphrase|passwd|passkey|key-string|shared-secret|pre-shared-key
          |message-digest-key|authentication-key|auth(?:entication)?-string|md5
          |snmp(?:-server)?\ community|snmp-agent\ (?:community(?:\ (?:read|write))?|usm-user)
          |snmp-server\ host\ .{0,200}?version\ (?:1|2c)
          |snmp-server\ user\ .{0,200}?\bauth|\bpriv)
      (?=\ )
    | (?<![-\w])key(?=\ )(?!\ chain|\ \d+$)
    | \bSNMP_COMMUNITY(?:_LIST)?(?=\W)
    | -(?:ingest|cv)auth=\w+,
    )
    .+
    """,
    re.VERBOSE,
)
#: A field of JSON, of YAML or of a path, and its value; other fields of its line stay.
_FIELD = re.compile(
    rf"((?:{SECRET_FIELD.pattern})[\w-]{{0,64}}[\"']?[ \t]{{0,8}}[:=][ \t]{{0,8}})"
    r"(?:\"[^\"\n]*\"|'[^'\n]*'|[^\s,;})\]]+)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
#: What is looked at of a message of a device, our choice: it prints as much as it likes.
_MOST_READ = 1 << 16


#: Shorter than any password that is worth guessing at: NIST SP 800-63B 3.1.1 wants 8 at least.
_SHORT = 8
_PRIVATE_KEY = re.compile(r"(-----BEGIN [A-Z ]*PRIVATE KEY-----).*?(-----END|\Z)", re.DOTALL)


def redacted(text: str) -> str:
    """Return a text in which ``***`` stands for every secret."""
    return _FIELD.sub(r"\1***", _SECRET.sub(r"\1 ***", _PRIVATE_KEY.sub(r"\1 *** \2", text)))


def shortened(text: str, most_characters: int = 300, between: str = " ") -> str:
    """Return what a device says on one line, without secrets and without its end when it is long.

    Where it names a field that holds a secret, nothing in quotes stays: libyang quotes a value
    before it says which field has it.

    Parameters
    ----------
    between : str
        What stands between its lines.
    """
    text = text[:_MOST_READ]
    clean = redacted(text)
    if SECRET_FIELD.search(text):
        clean = _QUOTED.sub("***", clean)
    lines = (" ".join(line.split()) for line in clean.splitlines())
    return between.join(filter(None, lines))[:most_characters]


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
