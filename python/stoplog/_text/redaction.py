# SPDX-License-Identifier: Apache-2.0
"""Hides secrets in errors and in `repr` output.

The jar has the same rules in `stoplog.error.Redaction`; tests compare both with the same file of examples.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

HIDDEN = "…"

_NAMES = (
    r"secret|passw|pwd|passphrase|token|credential|access.?key|account.?key|api.?key|private.?key|signature|jaas|"
    r"keystore[.]key|encryption[.]key[.]list|auth[.]user[.]info"
)
_SECRET_OPTION = re.compile(rf"{_NAMES}|authorization|cookie|^httpheader[.]", re.IGNORECASE)

# Bounded, because a text may be as long as a file.
_NAME = rf"[\w.-]{{0,64}}(?:{_NAMES})[\w.-]{{0,64}}"

# A backslash escapes a quote in JSON. A second brace escapes a brace.
_IN_DOUBLE = r'(?:\\[\s\S]|[^"\\])*'
_IN_SINGLE = r"(?:\\[\s\S]|[^'\\])*"
_BRACES = r"\{[^}\r\n]*(?:\}\}[^}\r\n]*){0,100}\}"

# Elsewhere, a value may also end with a backslash. Then the next quote starts the value of another name.
_DOUBLE = r'''"(?:[^"\\]|\\(?!")|\\"(?![^"]*(?:=|->)\s*"|[^"]*\Z))*\\?"'''
_SINGLE = r"""'(?:[^'\\]|\\(?!')|\\'(?![^']*(?:=|->)\s*'|[^']*\Z))*\\?'"""

# The last word of the name of a secret.
_ENDS = (
    r"secret|password|passwd|pwd|passphrase|token|credentials?|access.?key|account.?key|api.?key|private.?key|"
    r"signature|keystore[.]key|encryption[.]key[.]list|auth[.]user[.]info"
)

# A comma before the next name ends a plain value.
_PLAIN = r"""[^\s&;,)}\]'"]+(?:,(?![\w.-]{1,64}\s*(?:=|->))[^\s&;,)}\]'"]+)*"""

# A number and a slash are a port: in this case, the at sign is part of the path.
_OF_ADDRESS = r"""(//[^\s/:@'"]*:)(?!\d{1,5}(?:[/?#]|\Z))(?:(?!://)[^\s'"])*(?=@)"""

# Each rule matches a text to keep, its first group, followed by a secret.
_RULES = tuple(
    re.compile(rule, re.IGNORECASE | re.ASCII)
    for rule in (
        rf'("{_NAME}"\s*:\s*"){_IN_DOUBLE}',
        rf"('{_NAME}'\s*:\s*'){_IN_SINGLE}",
        # JSON in a string of JSON.
        rf'(\\"{_NAME}\\"\s*:\s*\\")(?:[^"\\]|\\\\(?:\\[\s\S]|[^"\\]))*',
        rf"(\b{_NAME}\s*(?:=|->)\s*)(?:{_DOUBLE}|{_SINGLE}|{_BRACES}|{_PLAIN})",
        # More words are a sentence about the option.
        rf"((?<![/\w.-])[\w-]{{1,64}}[.](?:[\w-]{{1,64}}[.]){{0,8}}[\w-]{{0,64}}(?:{_ENDS}):[ \t]+)"
        rf"(?:{_DOUBLE}|{_SINGLE}|[^\s;)}}\]'\"]+)" + r"(?=[ \t]*(?:[\r\n,;)}\]]|\Z))",
        r"(\b(?:authorization|cookie|x-[\w-]{0,64}(?:key|token|secret))\s*[:=]\s*)[^\r\n,;]+",
        r"(\bbearer\s+)[\w.~+/=-]{8,}",
        r"((?<![\w-]))(?-i:eyJ)[\w-]+[.](?-i:eyJ)[\w-]+(?:[.][\w-]+)?",  # a JSON web token
        r"""(\bsig=)[^\s&;'"]+""",
        r"(\bjdbc:oracle:\w+:[^\s/@:]+/)[^\s@]+(?=@)",
        r"""(\bhttps?://)[^\s/?#'"]*(?=@)""",
        _OF_ADDRESS,
        r"""(\bhttps?://[^\s?'"<>]*\?)[^\s'"<>]+""",
    )
)
_URL = re.compile(r"""\bhttps?://[^\s?'"<>]*""", re.IGNORECASE | re.ASCII)

# A long mixed name in the path, which is typical for the secret of a webhook. A name and a colon may precede
# the secret. The server is not a part of the path.
_TOKEN = re.compile(
    r"(?<![:@]/)/(?:[\w@-]{0,64}:)?(?=[\w@-]*\d)(?=[\w@-]*[a-z])[\w@-]{16,}(?=[/#,;)]|[.:]?\Z)",
    re.IGNORECASE | re.ASCII,
)


def is_secret(key: str) -> bool:
    """Returns true if the name of an option implies a secret value.

    >>> is_secret("jdbc.password"), is_secret("keyColumns")
    (True, False)
    """
    return _SECRET_OPTION.search(key) is not None


def value(key: str, content: str) -> str:
    """Returns an option's value for display.

    >>> value("password", "hunter2"), value("url", "jdbc:postgresql://shop:hunter2@db/x")
    ('…', 'jdbc:postgresql://shop:…@db/x')
    """
    return HIDDEN if is_secret(key) else text(content)


def text(said: str) -> str:
    """Returns a text of unknown origin without its secrets.

    >>> text("https://example.com/rows?key=hunter2 says no")
    'https://example.com/rows?… says no'
    """
    for rule in _RULES:
        said = rule.sub(rf"\g<1>{HIDDEN}", said)
    return _URL.sub(lambda found: _TOKEN.sub(f"/{HIDDEN}", found.group()), said)


def answer(said: str, address: str) -> str:
    """Returns a library's message about an address, without the address's secret in any encoding.

    >>> answer("not of the form bucket/key: 'me:hunter2@x/y'", "ftp://me:hunter2@x/y")
    "not of the form bucket/key: 'me:…@x/y'"
    """
    found = re.search(_OF_ADDRESS, address)
    secret = found.group().removeprefix(found[1]) if found else ""
    forms = {form for each in (secret, unquote(secret)) for form in (each, quote(each), quote(each, safe=""))}
    for form in sorted(filter(None, forms), key=len, reverse=True):
        said = said.replace(f":{form}@", f":{HIDDEN}@")
    return said
