# SPDX-License-Identifier: Apache-2.0
"""Custom targets of announcements of visible files."""

from __future__ import annotations

from abc import ABC, abstractmethod

from stoplog._python.changes import AnnouncedFile, Delivery, FileChange, Position

__all__ = ["AnnouncedFile", "AnnouncementTarget", "Delivery", "FileChange", "Position"]


class AnnouncementTarget(ABC):
    """Receives announcements of visible files: a message queue, a catalog, a table.

    One thread of the driver calls the target of one log, one call at a time, in a separate Python process.
    A slow or failed target delays no epoch. Each announcement is delivered at least once, in the order of its
    log. A target is pickled, so it keeps parameters only. Connections and secrets belong into `open`.

    A target that stores the position of the last announcement in the same transaction as the data overrides
    `position`: then each announcement takes effect exactly once, also with two drivers.

    Example:
        class Queue(stoplog.AnnouncementTarget):
            def __init__(self, url):
                self.url = url

            def open(self):
                self.queue = boto3.client("sqs")

            def deliver(self, changes):
                for change in changes:
                    self.queue.send_message(QueueUrl=self.url, MessageBody=change.text)
                return stoplog.Delivery.DELIVERED
    """

    def open(self) -> None:  # noqa: B027  optional
        """Opens connections, before the first call of a process, and again after an exception of a call."""

    @abstractmethod
    def deliver(self, changes: list[FileChange]) -> Delivery:
        """Delivers announcements of one log, never empty, in order.

        Returns:
            `Delivery.DELIVERED` if the target has all announcements; otherwise `Delivery.retry(…)`,
            `unknown(…)` or `refused(…)`. If the call raises, the target is closed and opened again, and the
            announcer repeats the call.
        """

    def position(self, path: str, log: str) -> Position | None:
        """Returns the stored position of the log with this name under this path; `None` without a position.

        `deliver` must ignore announcements that are not after this position, in one transaction with the
        delivery.
        """
        raise NotImplementedError

    def has_position(self) -> bool:
        """Returns whether the target stores positions, so whether its class overrides `position`."""
        return type(self).position is not AnnouncementTarget.position

    def check(self) -> None:  # noqa: B027  optional
        """Checks that the target can be reached; delivers nothing. Raises an exception with the reason."""

    def close(self) -> None:  # noqa: B027  optional
        """Releases connections, also after an exception of a call."""
