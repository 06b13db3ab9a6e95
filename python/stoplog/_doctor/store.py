# SPDX-License-Identifier: Apache-2.0
"""The qualification of a storage by races in a JVM: the request to the jar, and the verdict."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from stoplog._jvm.tools import Jvm, Runner, Watch
from stoplog._text.words import many


class Safety(Enum):
    """Whether sinks and sources keep their guarantees on a storage."""

    SAFE = "safe"
    """No race has broken a promise."""

    SAFE_WITH_SETTINGS = "safe with settings"
    """No race has broken a promise, with the settings of the verdict."""

    UNSAFE = "unsafe"
    """A promise was broken: rows may be lost or repeated there."""


@dataclass(frozen=True, slots=True)
class TriedPromise:
    """A promise of a storage on which the commit protocol relies.

    Attributes:
        name: the promise as one word.
        what: the promise as a clause.
        races: the number of races.
        violation: the violation as a clause; `None` if each race has kept the promise.
    """

    name: str
    what: str
    races: int
    violation: str | None


@dataclass(frozen=True, slots=True)
class StoreVerdict:
    """The verdict on a storage. Printed as text.

    Attributes:
        url: the path of the trial.
        verdict: the verdict.
        reasons: the broken promises, in sentences.
        settings: the settings with which the storage is safe, each with its reason.
        notes: further facts, in sentences.
        promises: the promises that were tried.
        seconds: the duration of the trial.
        left: the directory of the trial, if the trial could not delete the directory.
    """

    url: str
    verdict: Safety
    reasons: tuple[str, ...]
    settings: tuple[str, ...]
    notes: tuple[str, ...]
    promises: tuple[TriedPromise, ...]
    seconds: int
    left: str | None

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def qualify(url: str, jvm: Jvm, watch: Watch | None = None, runner: Runner | None = None) -> StoreVerdict:
    """Lets many writers race for each promise of a storage, for at most two minutes.

    The trial writes only below a new directory in `_stoplog` under the path, and deletes the directory.

    Args:
        url: a directory of the storage; the sink's path, if its rights are to be tried as well.
        jvm: additional jars, and settings of Hadoop.
        watch: called with the number of races that have ended, and of all races.
        runner: runs the JVM instead of a process.

    Raises:
        ToolFailed: the storage cannot be opened, or Java or a jar is missing.
    """
    return verdict_of(jvm.ask({"command": "qualify", "path": url}, runner, watch))


def verdict_of(answer: Mapping[str, object]) -> StoreVerdict:
    """Reads the answer of the jar."""
    left = answer.get("left")
    return StoreVerdict(
        url=str(answer["url"]),
        verdict=Safety(answer["verdict"]),
        reasons=_texts(answer["reasons"]),
        settings=_texts(answer["settings"]),
        notes=_texts(answer["notes"]),
        promises=tuple(_promise(each) for each in _objects(answer["promises"])),
        seconds=int(str(answer["seconds"])),
        left=str(left) if left else None,
    )


def _lines(found: StoreVerdict) -> Iterator[str]:
    races = many(sum(each.races for each in found.promises), "race")
    colon = ":" if found.reasons or found.settings else "."
    yield f"{found.url} is {_VERDICTS[found.verdict]}{colon}"
    yield from (f"  {text}" for text in (*found.reasons, *found.settings))
    yield f"Tried in {races}, {found.seconds} s:"
    width = max((len(each.name) for each in found.promises), default=0)
    for each in found.promises:
        state = "BROKEN" if each.violation else "ok"
        yield f"  {state:<6} {each.name:<{width}}  {each.races:>5} races: {each.what}"
    yield from found.notes


_VERDICTS = {
    Safety.SAFE: "safe",
    Safety.SAFE_WITH_SETTINGS: "safe with settings",
    Safety.UNSAFE: "unsafe because",
}


def _promise(found: Mapping[str, object]) -> TriedPromise:
    violation = found.get("violation")
    return TriedPromise(
        str(found["name"]),
        str(found["what"]),
        int(str(found["races"])),
        str(violation) if violation else None,
    )


def _texts(found: object) -> tuple[str, ...]:
    return tuple(str(each) for each in found) if isinstance(found, Sequence) else ()


def _objects(found: object) -> list[Mapping[str, object]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
