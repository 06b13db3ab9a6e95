# SPDX-License-Identifier: Apache-2.0
"""The definitions that Scala writes for this package: `python/stoplog/shared`."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from builder_calls import BUILDERS
from builder_case import Call

from stoplog._shared import definitions
from stoplog.testing import Step

SHARED = Path(definitions.__file__).parents[1] / "shared"
JARS = sorted(file for file in SHARED.glob("*.json") if file.stem != "names")


def test_python_names_the_steps_of_all_jars() -> None:
    assert {step.value for step in Step} == {
        name for file in JARS for name in definitions.shared(file.stem)["steps"]
    }


@pytest.mark.parametrize("file", JARS, ids=lambda file: file.stem)
def test_every_file_is_read(file: Path) -> None:
    assert definitions.option_keys(file.stem)


def allowed(jar: str, of: str) -> dict[str, set[str]]:
    """The words of each option that may be set to a few words alone."""
    options: dict[str, dict[str, Any]] = definitions.shared(jar)["options"][of]
    return {key: set(option["allowed"]) for key, option in options.items() if "allowed" in option}


@pytest.mark.parametrize(
    ("name", "jar", "of"),
    [
        ("file sink", "core", "sink"),
        ("file source", "core", "source"),
        ("JDBC sink", "jdbc", "sink"),
        ("Kafka sink", "kafka", "sink"),
    ],
)
def test_a_method_accepts_the_values_of_the_option(name: str, jar: str, of: str) -> None:
    words, builder, seen = allowed(jar, of), BUILDERS[name], 0
    for call, options in builder.calls:
        for argument, offered in choices(builder.start, call).items():
            requested = given(builder.start, call)[argument]
            keys = [key for key, value in options.items() if value == requested]
            for key in words.keys() & keys:
                seen += 1
                assert offered == words[key], (call, argument)
    assert seen > 0


def given(start: Any, call: Call) -> dict[str, Any]:
    return signature(getattr(start, call.method)).bind(*call.arguments, **call.named).arguments


def choices(start: Any, call: Call) -> dict[str, set[str]]:
    """The words that each argument of the call may be, if it is a choice of words."""
    hints = {
        name: str(of.annotation) for name, of in signature(getattr(start, call.method)).parameters.items()
    }
    found = {name: re.fullmatch(r"Literal\[(.*)\]( \| None)?", hints[name]) for name in given(start, call)}
    return {name: set(re.findall(r"[\w-]+", hint[1])) for name, hint in found.items() if hint}
