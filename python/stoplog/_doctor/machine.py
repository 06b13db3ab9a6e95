# SPDX-License-Identifier: Apache-2.0
"""Finds the facts of the operating system."""

from __future__ import annotations

import locale
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from zoneinfo import ZoneInfo

from stoplog._doctor.environment import Access, Directory, Java, Locale, Machine
from stoplog._jvm.artifact import package_jar
from stoplog._shared.version import PACKAGE
from stoplog.errors import StoplogError

_SESSION_ZONE = "spark.sql.session.timeZone"
_OFFSET = re.compile(r"(UTC|GMT|UT)?[+-]\d{1,2}(:?\d{2}){0,2}|Z|[A-Z]{3,5}-?\d*([A-Z]{3,5}.*)?")
_INSTALLED = ("/usr/lib/jvm", "/Library/Java/JavaVirtualMachines")


def machine(settings: Mapping[str, str], paths: tuple[str, ...]) -> Machine:
    """Returns the facts of this machine.

    Args:
        settings: the settings of Spark, some of which name directories and time zones.
        paths: the paths that the caller will use; only local paths count.
    """
    zones = {"TZ": os.environ.get("TZ", ""), _SESSION_ZONE: settings.get(_SESSION_ZONE, "")}
    return Machine(
        found_locale(),
        _open_files(),
        zones["TZ"],
        {setting: zone for setting, zone in zones.items() if not _is_zone(zone)},
        _seconds_behind(),
        tuple(_directories(settings, paths)),
        installed_javas(),
    )


def found_locale() -> Locale:
    """Returns the locale of this process, which a JVM inherits."""
    name = next((os.environ[key] for key in ("LC_ALL", "LC_CTYPE", "LANG") if os.environ.get(key)), "POSIX")
    if sys.platform == "darwin":  # Java uses UTF-8 there with any locale
        return Locale(name, "UTF-8")
    return Locale(name, locale.nl_langinfo(locale.CODESET))


def installed_javas() -> tuple[Java, ...]:
    """Returns the Javas in the usual directory, from the file `release` that each of them has."""
    found = []
    for file in (file for place in _INSTALLED for file in sorted(Path(place).glob("*/release"))):
        release = re.search(r'^JAVA_VERSION="([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE)
        if release and (file.parent / "bin" / "java").is_file():
            found.append(Java(str(file.parent / "bin" / "java"), release.group(1)))
    return tuple(found)


def _open_files() -> int:
    import resource

    # A JVM raises its own limit to the hard limit.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    return sys.maxsize if hard == resource.RLIM_INFINITY else hard


def _is_zone(name: str) -> bool:
    """Returns true for a zone of the database, an offset, or no zone; paths and POSIX rules count as zones.

    >>> _is_zone("Europe/Berlin"), _is_zone("+02:00"), _is_zone(""), _is_zone("Mars/Phobos")
    (True, True, True, False)
    """
    plain = name.removeprefix(":")
    if not plain or plain.startswith("/") or _OFFSET.fullmatch(plain):
        return True
    try:
        ZoneInfo(plain)
    except (KeyError, ValueError, OSError):
        return False
    return True


def _seconds_behind() -> int:
    files = list(PACKAGE.glob("*.py"))
    with suppress(StoplogError):
        files.append(package_jar())
    newest = max(file.stat().st_mtime for file in files)
    return max(0, int(newest - time.time()))


def _directories(settings: Mapping[str, str], paths: tuple[str, ...]) -> Iterator[Directory]:
    temporary = _temporary(settings)
    yield _directory("temporary files", temporary, holds_programs=True)
    local = os.environ.get("SPARK_LOCAL_DIRS")
    purpose = "SPARK_LOCAL_DIRS" if local else "spark.local.dir"
    for place in (local or settings.get("spark.local.dir", "")).split(","):
        if place and place != temporary:
            yield _directory(purpose, place, holds_programs=False)
    for path in paths:
        if "://" not in path:
            yield _directory("PATH", _existing(path), holds_programs=False)


def _temporary(settings: Mapping[str, str]) -> str:
    """Returns Java's directory for temporary files; Java on Linux does not read TMPDIR."""
    options = [os.environ.get(name, "") for name in ("SPARK_SUBMIT_OPTS", "JAVA_TOOL_OPTIONS")]
    options.append(settings.get("spark.driver.extraJavaOptions", ""))
    found = re.findall(r"-Djava\.io\.tmpdir=([^\s\"']+)", " ".join(options))
    return str(found[-1]) if found else "/tmp" if sys.platform == "linux" else tempfile.gettempdir()


def _existing(path: str) -> str:
    """Returns the path, or the first directory above the path that exists."""
    here = Path(path.removeprefix("file:")).absolute()
    return str(next((each for each in (here, *here.parents) if each.exists()), here))


def _directory(purpose: str, path: str, *, holds_programs: bool) -> Directory:
    if not Path(path).is_dir():
        return Directory(purpose, path, 0, Access.NO_DIRECTORY if Path(path).exists() else Access.ABSENT)
    found = os.statvfs(path)
    free = found.f_bavail * found.f_frsize
    if not os.access(path, os.W_OK | os.X_OK):
        return Directory(purpose, path, free, Access.READ_ONLY)
    # Java extracts the libraries of codecs to its directory for temporary files.
    if holds_programs and found.f_flag & getattr(os, "ST_NOEXEC", 0):
        return Directory(purpose, path, free, Access.WITHOUT_PROGRAMS)
    return Directory(purpose, path, free, Access.USABLE)
