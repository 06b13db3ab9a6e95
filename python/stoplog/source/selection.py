# SPDX-License-Identifier: Apache-2.0
"""The settings that select files, and that define when a file is absent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from stoplog._options.builder import Builder
from stoplog._text.values import Duration, duration_text, if_given, present

if TYPE_CHECKING:
    from typing_extensions import Self


class SelectionMethods(Builder):
    """The methods of `FileSourceBuilder` for names, ages, dates and absence of files."""

    __slots__ = ()

    def with_path_glob_filter(self, pattern: str) -> Self:
        """Reads only files with matching names, such as `*.log`.

        The default is all files that are not hidden.

        >>> from stoplog import FileSource
        >>> FileSource.for_record_stream_format("text", "/in").with_path_glob_filter("*.log")
        FileSourceBuilder(path='/in', format='text', pathGlobFilter='*.log')
        """
        return self._with(pathGlobFilter=pattern)

    def with_min_file_age(self, age: Duration) -> Self:
        """Reads only files that have not been modified for some time.

        Args:
            age: a `timedelta`, a string such as `"30s"`, or an int of milliseconds.

        >>> from stoplog import FileSource
        >>> FileSource.for_record_stream_format("text", "/in").with_min_file_age("30s")
        FileSourceBuilder(path='/in', format='text', minFileAge='30s')
        """
        return self._with(minFileAge=duration_text("age", age))

    def with_stable_for(self, time: Duration) -> Self:
        """Reads only files whose lengths have been stable in all listings for some time.

        Args:
            time: a `timedelta`, a string such as `"10s"`, or an int of milliseconds.

        >>> from stoplog import FileSource
        >>> FileSource.for_record_stream_format("text", "/in").with_stable_for("10s")
        FileSourceBuilder(path='/in', format='text', stableFor='10s')
        """
        return self._with(stableFor=duration_text("time", time))

    def with_ready_marker(self, name: str) -> Self:
        """Reads files only after a marker file has marked the files as complete.

        Args:
            name: the marker's name, such as `"_SUCCESS"` in the directory of the files, or `"{name}.done"`
                next to each file.

        >>> from stoplog import FileSource
        >>> FileSource.for_record_stream_format("text", "/in").with_ready_marker("_SUCCESS")
        FileSourceBuilder(path='/in', format='text', readyMarker='_SUCCESS')
        """
        return self._with(readyMarker=name)

    def with_dates(
        self,
        pattern: str,
        *,
        since: str | None = None,
        until: str | None = None,
        within: Duration | None = None,
    ) -> Self:
        """Lists only directories whose names are dates in a range, and skips all other such directories.

        Args:
            pattern: the pattern of the directories' names below the path, such as
                `"'dt='yyyy-MM-dd'/hour='HH"`, the default of the sink, or `"yyyy/MM/dd"`.
            since: the first date, such as `"2026-11-01"`.
            until: the exclusive end date.
            within: the maximum time since the end of a directory's date.

        >>> from stoplog import FileSource
        >>> FileSource.for_record_stream_format("text", "/in").with_dates("yyyy/MM/dd", since="2026-11-01")
        FileSourceBuilder(path='/in', format='text', datePattern='yyyy/MM/dd', dateRange='2026-11-01/')
        """
        interval = None if since is until is None else f"{since or ''}/{until or ''}"
        limits = [interval, if_given(duration_text, "within", within)]
        dates = ", ".join(limit for limit in limits if limit is not None)
        return self._with(datePattern=pattern, **present({"dateRange": dates or None}))

    def with_absence(
        self,
        *,
        forget_after: Duration | None = None,
        on_other_directory: Literal["wait", "accept"] | None = None,
        wait_for_directories: Duration | None = None,
    ) -> Self:
        """Sets when files that listings no longer contain count as removed.

        Args:
            forget_after: the time for which a file must be missing in listings; one day by default.
            on_other_directory: the reaction to another directory in the place of the read directory, such as
                the empty mount point of an unmounted disk. `"wait"` by default; `"accept"` if the directory
                was replaced on purpose.
            wait_for_directories: the time after which a query without any files fails; one day by default.

        >>> from stoplog import FileSource
        >>> FileSource.for_record_stream_format("text", "/in").with_absence(forget_after="2d")
        FileSourceBuilder(path='/in', format='text', forgetMissingAfter='2d')
        """
        waits = if_given(duration_text, "wait_for_directories", wait_for_directories)
        other = on_other_directory if waits is None else f"{on_other_directory or 'wait'} {waits}"
        absence = {
            "forgetMissingAfter": if_given(duration_text, "forget_after", forget_after),
            "onOtherDirectory": other,
        }
        return self._with("absence", **present(absence))
