# SPDX-License-Identifier: Apache-2.0
"""Answers on the screen: as text for people, as JSON for programs."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from enum import Enum

from stoplog._words import visible, visible_json
from stoplog.cli.command import Answer


def as_text(answer: Answer) -> str:
    """What people read."""
    return "\n".join(map(visible, answer.lines()))


def as_json(command: str, answer: Answer) -> str:
    """One object: the command's name, its exit code, and what it found out under the names of Python."""
    whole = {"command": command, "exit_code": int(answer.code), **answer.data}
    return visible_json(json.dumps(plain(whole), ensure_ascii=False, indent=2))


def error_as_json(command: str | None, condition: str, message: str, code: int) -> str:
    """An error in the form of an answer."""
    error = {"condition": condition, "message": message}
    whole = {"command": command, "exit_code": code, "error": error}
    return visible_json(json.dumps(whole, ensure_ascii=False, indent=2))


def error_as_text(condition: str, message: str) -> str:
    """An error for people, whose message may have several lines."""
    return f"stoplog: [{condition}] " + "\n".join(map(visible, message.split("\n")))


def plain(value: object) -> object:
    """The value as JSON knows it."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value
