# SPDX-License-Identifier: Apache-2.0
"""Rules about the operating system: characters, files, time and space."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._doctor.environment import Access, Environment
from stoplog._doctor.finding import Finding, problem, warning
from stoplog._text.words import size

_UTF_8 = ("utf-8", "utf8")
_FEW_FILES, _TOO_FEW_FILES = 4_096, 512
_LITTLE_SPACE, _NO_SPACE = 1 << 30, 64 << 20


def locale(environment: Environment) -> Iterator[Finding]:
    """Java encodes the names of files by the locale."""
    found = environment.machine.locale
    if found.characters.lower() not in _UTF_8:
        yield warning(
            "locale",
            f"The locale is {found.name}, and its characters are {found.characters}, not UTF-8.",
            "Java writes other characters in names of files as question marks, so that partitions collide.",
            "export LC_ALL=C.UTF-8",
        )


def open_files(environment: Environment) -> Iterator[Finding]:
    """Each task keeps one file for each bucket open, and Spark opens some hundred jars."""
    found = environment.machine.open_files
    if found < _FEW_FILES:
        level = problem if found < _TOO_FEW_FILES else warning
        yield level(
            "open-files",
            f"A process may open {found:,} files.",
            "Spark opens some hundred jars, and each task of a sink opens one file for each bucket.",
            "ulimit -n 65536",
        )


def time_zone(environment: Environment) -> Iterator[Finding]:
    """Java and Python read an unknown time zone as UTC without a word, and Spark refuses it."""
    for setting, zone in environment.machine.unknown_zones.items():
        if setting == "TZ":
            yield warning(
                "time-zone",
                f"TZ is {zone}, which is not a time zone.",
                "Java, Python and the C library replace an unknown time zone, each in another way.",
                "export TZ=UTC",
            )
        else:
            yield problem(
                "time-zone",
                f"{setting} is {zone}, which is not a time zone.",
                "Spark refuses the setting at the start of the session.",
                f"{setting} UTC",
            )


def clock(environment: Environment) -> Iterator[Finding]:
    """The clock must not be before the files of the package."""
    behind = environment.machine.seconds_behind
    if behind > 0:
        yield problem(
            "clock",
            f"The clock is at least {_duration(behind)} behind: files of stoplog are newer.",
            "S3 refuses requests whose time is wrong by 15 minutes. Rolling and event logs use the clock.",
            "sudo timedatectl set-ntp true",
        )


def directories(environment: Environment) -> Iterator[Finding]:
    """Directories must exist, be writable, have space, and allow the libraries of codecs."""
    for found in environment.machine.directories:
        where = f"{found.path} ({found.purpose})"
        if found.access is Access.ABSENT:
            yield problem(
                "disk", f"{where} is not a directory.", _WHY[found.purpose == _PATH], f"mkdir -p {found.path}"
            )
        elif found.access is Access.NO_DIRECTORY:
            other = f"{found.path}.d"
            repair = f"mkdir -p {other}   # and name this directory instead of the file"
            yield problem("disk", f"{where} is not a directory.", _WHY[found.purpose == _PATH], repair)
        elif found.access is Access.READ_ONLY:
            why = _WHY[found.purpose == _PATH]
            yield problem("disk", f"{where} is not writable.", why, f"chmod u+w {found.path}")
        elif found.access is Access.WITHOUT_PROGRAMS:
            yield problem(
                "native-libraries",
                f"{where} is mounted with noexec.",
                "Codecs such as zstd and snappy copy a library there, which the system refuses to load.",
                f"spark.driver.extraJavaOptions -Djava.io.tmpdir={_OTHER}",
            )
        if found.access not in (Access.ABSENT, Access.NO_DIRECTORY) and found.free_bytes < _LITTLE_SPACE:
            level = problem if found.free_bytes < _NO_SPACE else warning
            yield level(
                "disk",
                f"{where} has {size(found.free_bytes)} of free space.",
                _WHY[found.purpose == _PATH],
                f"df -h {found.path}   # then delete files, or choose another disk",
            )


_PATH = "PATH"
_OTHER = "/var/tmp"
_WHY = {
    False: "Spark writes shuffled rows and spilled rows there.",
    True: "A sink writes its files and its log there.",
}


def _duration(seconds: int) -> str:
    return f"{seconds // 86_400} days" if seconds >= 2 * 86_400 else f"{seconds} s"
