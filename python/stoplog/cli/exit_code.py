# SPDX-License-Identifier: Apache-2.0
"""What the command line ends with. The numbers are part of its interface."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended, for scripts."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    DRIVER_ALIVE = 3
    CANNOT_READ = 4
    FAILED = 5

    @property
    def meaning(self) -> str:
        """What it says, in one sentence.

        >>> ExitCode.OK.meaning
        'The command did what it was asked to do.'
        """
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.OK: "The command did what it was asked to do.",
    ExitCode.FINDINGS: "It did, and found something that somebody should look at.",
    ExitCode.USAGE: "The command was called in a wrong way; nothing was done.",
    ExitCode.DRIVER_ALIVE: "It was refused because a query may be at work; nothing was done.",
    ExitCode.CANNOT_READ: "The directory, its log or what was asked for cannot be read, or is not there.",
    ExitCode.FAILED: "It failed, or was refused for another reason; the message says what was done.",
}
