# SPDX-License-Identifier: Apache-2.0
"""What a builder builds with: its options, checked by the jar if there is one to ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoplog._aspects import Aspects, pairs_of
from stoplog._jvm import find_door

if TYPE_CHECKING:
    from stoplog._options import Pairs


def checked_sink(aspects: Aspects) -> Pairs:
    """The options of a sink of files.

    Raises:
        InvalidOptions: an option has two values, or the jar refused some options.
        JarMissing: the active session runs without the jar.
        VersionMismatch: the active session runs with the jar of another release.
    """
    pairs = pairs_of(aspects)
    door = find_door()
    if door is not None:
        door.validate(dict(pairs))
    return pairs


def checked_source(aspects: Aspects) -> Pairs:
    """The same for a source of files."""
    pairs = pairs_of(aspects)
    door = find_door()
    if door is not None:
        door.validate_source(dict(pairs))
    return pairs


def checked_connector(facade: str, artifact: str, aspects: Aspects) -> Pairs:
    """The same for a sink or a source of a connector, whose jar is another one.

    Args:
        facade: the connector's class that knows its options.
        artifact: what an error calls the jar if it is missing.
    """
    pairs = pairs_of(aspects)
    door = find_door()
    if door is not None:
        door.validate_connector(facade, artifact, dict(pairs))
    return pairs
