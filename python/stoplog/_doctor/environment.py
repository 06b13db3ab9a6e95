# SPDX-License-Identifier: Apache-2.0
"""The facts of an environment. Rules read these facts only; `gather` and `session` find them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from stoplog._shared.version import ARTIFACT

_SCALA = r"(?P<artifact>.+)_(?P<scala>2\.1\d|3)"
_JARS = tuple(
    re.compile(rf"{name}-(?P<version>\d[\w.-]*)\.jar")
    for name in (_SCALA, r"(?P<artifact>.+?)(?P<scala>)(?=-\d+\.)")
)
_COORDINATES = tuple(
    re.compile(rf"[^:\s]+:{name}:(?P<version>[^:\s]+)")
    for name in (_SCALA, r"(?P<artifact>[^:\s]+)(?P<scala>)")
)


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that starts.

    Attributes:
        command: the command that Spark starts.
        version: the version as Java prints it.
    """

    command: str
    version: str

    @property
    def release(self) -> int:
        """Returns the number of the release.

        >>> Java("java", "17.0.15").release, Java("java", "1.8.0_402").release
        (17, 8)
        """
        return numbers(self.version.removeprefix("1."))[0]


@dataclass(frozen=True, slots=True)
class Spark:
    """A Spark installation, or the Spark of a session.

    Attributes:
        home: the directory, or the address of a session.
        version: the version of Spark's jars.
        scala: the version of Scala's library.
        hadoop: the version of Hadoop's client; empty if unknown.
        package: the version of the package pyspark; empty without one.
    """

    home: str
    version: str
    scala: str
    hadoop: str
    package: str


@dataclass(frozen=True, slots=True)
class Absent:
    """Java, Spark or a jar that is not there, or does not start.

    Attributes:
        what: the reason.
    """

    what: str


class Origin(Enum):
    """The place that names a jar."""

    JARS = "spark.jars"
    PACKAGES = "spark.jars.packages"
    SUBMIT = "--jars in PYSPARK_SUBMIT_ARGS"
    HOME = "the jars of Spark"
    SESSION = "the session"


@dataclass(frozen=True, slots=True)
class Jar:
    """A jar on the class path of jobs.

    Attributes:
        artifact: the name without versions.
        scala: the Scala version in the name; empty for a jar of Java.
        version: the version of the jar.
        origin: the place that names the jar.
    """

    artifact: str
    scala: str
    version: str
    origin: Origin

    @property
    def is_core(self) -> bool:
        """Returns true for stoplog's own jar, without the connectors."""
        return self.artifact == _CORE

    @property
    def is_connector(self) -> bool:
        """Returns true for the jar of a connector."""
        return self.artifact.startswith(f"{_CORE}-")

    @property
    def name(self) -> str:
        """Returns the name with the versions."""
        return (
            f"{self.artifact}_{self.scala}:{self.version}"
            if self.scala
            else f"{self.artifact}:{self.version}"
        )

    @classmethod
    def of(cls, text: str, origin: Origin) -> Jar | None:
        """Parses a file name or a Maven coordinate; `None` for a name without a version.

        >>> Jar.of("/jars/spark-core_2.13-4.2.0.jar", Origin.HOME).name
        'spark-core_2.13:4.2.0'
        >>> Jar.of("org.apache.hadoop:hadoop-aws:3.5.0", Origin.PACKAGES).name
        'hadoop-aws:3.5.0'
        >>> Jar.of("spark-sql-kafka-0-10_2.13-4.2.0.jar", Origin.JARS).artifact
        'spark-sql-kafka-0-10'
        """
        is_coordinate = origin is Origin.PACKAGES
        name = text if is_coordinate else text.rpartition("/")[2]
        matches = (pattern.fullmatch(name) for pattern in (_COORDINATES if is_coordinate else _JARS))
        found = next((each for each in matches if each), None)
        return cls(found["artifact"], found["scala"], found["version"], origin) if found else None


# Settings of a user of S3. Spark sets others, such as those of vectored reads, in each session.
_OF_S3 = re.compile(
    r"spark\.hadoop\.fs\.s3a\.(endpoint|access\.key|secret\.key|session\.token|aws\.credentials|bucket|path\.style)"
)
_CORE = ARTIFACT.rpartition("_")[0]


@dataclass(frozen=True, slots=True)
class Own:
    """This package.

    Attributes:
        version: the version of the package.
        jar: the path of the package's jar, or the reason why there is none.
    """

    version: str
    jar: str | Absent


@dataclass(frozen=True, slots=True)
class Python:
    """A Python interpreter.

    Attributes:
        command: the command that starts it, with the variable or setting that names the command.
        version: the minor version, such as `3.11`; empty if the command does not start.
    """

    command: str
    version: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """The package pyarrow of this Python.

    Attributes:
        version: the installed version; empty without the package.
        oldest: the oldest version that pyspark accepts; empty if unknown.
    """

    version: str
    oldest: str


@dataclass(frozen=True, slots=True)
class Locale:
    """The locale for characters.

    Attributes:
        name: the name, as the environment variables specify it.
        characters: the character set, as the C library names it; not UTF-8 if the locale is not installed.
    """

    name: str
    characters: str


class Access(Enum):
    """The possible use of a directory."""

    USABLE = "usable"
    ABSENT = "absent"
    NO_DIRECTORY = "no directory"
    READ_ONLY = "read-only"
    WITHOUT_PROGRAMS = "without programs"


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory for files.

    Attributes:
        purpose: the setting that names the directory, or its use.
        path: the path.
        free_bytes: the free space for this user.
        access: the possible use.
    """

    purpose: str
    path: str
    free_bytes: int
    access: Access


@dataclass(frozen=True, slots=True)
class Machine:
    """The facts of the operating system.

    Attributes:
        locale: the locale for characters.
        open_files: the largest number of open files that a process may set for itself.
        time_zone: the environment variable TZ; empty if not set.
        unknown_zones: the time zones, by their settings, that no database of time zones has.
        seconds_behind: the time by which the clock is behind the time of the package's files.
        directories: the directories for temporary files, and the directories of the user.
        javas: the installed Javas that jobs do not use.
    """

    locale: Locale
    open_files: int
    time_zone: str
    unknown_zones: Mapping[str, str]
    seconds_behind: int
    directories: tuple[Directory, ...]
    javas: tuple[Java, ...] = ()


@dataclass(frozen=True, slots=True)
class Jars:
    """The jars of jobs.

    Attributes:
        named: the jars that settings name, and those in Spark's directory that matter.
        absent: the files that do not exist, by the setting that names them.
    """

    named: tuple[Jar, ...] = ()
    absent: tuple[tuple[str, str], ...] = ()

    def of(self, artifact: str) -> list[Jar]:
        """Returns the jars of an artifact."""
        return [jar for jar in self.named if jar.artifact == artifact]


@dataclass(frozen=True, slots=True)
class Environment:
    """All facts.

    Attributes:
        own: this package.
        java: Java, or the reason why there is none.
        spark: Spark, or the reason why there is none.
        jars: the jars of jobs.
        pythons: this Python, and the Python of Spark's workers; only this one if the workers' is unknown.
        machine: the operating system.
        use: the use of the environment.
    """

    own: Own
    java: Java | Absent
    spark: Spark | Absent
    jars: Jars
    pythons: tuple[Python, ...]
    machine: Machine
    use: Use


@dataclass(frozen=True, slots=True)
class Use:
    """The use of the environment, as far as settings and arguments say.

    Attributes:
        settings: the settings of Spark.
        paths: the paths that the caller will use.
        remote: the address of a Spark Connect server; empty for a classic session.
        missing_packages: the Python packages that Spark Connect needs and that are not installed.
        has_arguments: whether `PYSPARK_SUBMIT_ARGS` is a list of words.
        site: the settings in `core-site.xml` of the directories of Hadoop's configuration.
        driver: the Python of drivers, if a setting names another one than this; `None` if unknown.
        arrow: the package pyarrow; `None` if unknown.
    """

    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    paths: tuple[str, ...] = ()
    remote: str = ""
    missing_packages: tuple[str, ...] = ()
    has_arguments: bool = True
    site: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    driver: Python | None = None
    arrow: Arrow | None = None

    def file_system_of(self, scheme: str) -> str:
        """Returns the class of a file system that a setting names; empty if none does."""
        key = f"fs.{scheme}.impl"
        return self.settings.get(f"spark.hadoop.{key}", "") or self.site.get(key, "")

    def scheme_of_each(self) -> dict[str, str]:
        """Returns the schemes of all paths in settings and arguments, with a place where each is named."""
        named = {**{path: path for path in self.paths}, **dict(self.settings)}
        found: dict[str, str] = {}
        for place, text in named.items():
            for scheme in re.findall(r"(?<![\w.+-])(s3[an]?|gs|abfss?|wasbs?)://", text):
                found.setdefault(scheme, place)
        chosen = next(filter(_OF_S3.match, self.settings), None)
        if chosen is not None:
            found.setdefault("s3a", chosen)
        return found


def numbers(version: str) -> tuple[int, ...]:
    """Returns the numbers of a version.

    >>> numbers("4.2.0-SNAPSHOT"), numbers("")
    ((4, 2, 0), (0,))
    """
    found = re.match(r"\d+(\.\d+)*", version)
    return tuple(int(each) for each in found.group().split(".")) if found else (0,)


def line(version: str) -> str:
    """Returns the first two numbers of a version.

    >>> line("4.2.0")
    '4.2'
    """
    return ".".join(version.split(".")[:2])
