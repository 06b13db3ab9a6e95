# SPDX-License-Identifier: Apache-2.0
"""The figures of sinks as metrics of Prometheus: names, units and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector

from stoplog._exporter.figures import SinkFigures, SinkReader
from stoplog._inspect.liveness import DriverState
from stoplog._inspect.sinks import sink_ids
from stoplog._log.records import RecordKind
from stoplog._storage import Storage, open_storage
from stoplog._text import redaction
from stoplog.errors import CannotRead


@dataclass(frozen=True, slots=True)
class _Figure:
    """A metric with one value for each sink; a sink without the value has no sample."""

    name: str
    help: str
    value: Callable[[SinkFigures], float | None]


_FIGURES = (
    _Figure("open_parts", "Parts that still receive rows.", lambda sink: sink.open_parts),
    _Figure("open_bytes", "Committed bytes of open parts.", lambda sink: sink.open_bytes),
    _Figure("open_rows", "Committed rows of open parts.", lambda sink: sink.open_rows),
    _Figure("pending_parts", "Decided parts that may be invisible.", lambda sink: sink.pending_parts),
    _Figure(
        "oldest_invisible_row_timestamp_seconds",
        "Time of the oldest committed row that readers do not see. Absent if all rows are visible.",
        lambda sink: sink.oldest_row_at,
    ),
    _Figure(
        "last_record_timestamp_seconds",
        "Time of the newest record of the log.",
        lambda sink: sink.newest_at,
    ),
    _Figure("last_epoch", "The newest committed epoch.", lambda sink: sink.last_epoch),
)


class SinkCollector(Collector):
    """Reads all sinks of the directories for each scrape.

    The labels are `path`, `sink_id`, and words of a fixed list: no metric has a label for buckets or parts.
    """

    def __init__(self, storages: Mapping[str, Storage], clock: Callable[[], int]) -> None:
        """
        Args:
            storages: the opened directories, by the paths that become labels.
            clock: returns the time in milliseconds.
        """
        self._storages = storages
        self._clock = clock
        self._readers: dict[tuple[str, str], SinkReader] = {}
        self._labels_of: dict[str, dict[str, str]] = {}

    @classmethod
    def of(cls, paths: Iterable[str], options: Mapping[str, str], clock: Callable[[], int]) -> SinkCollector:
        """Opens the directories. Raises `CannotRead`."""
        labels = _labels(dict.fromkeys(paths))
        return cls({label: open_storage(path, options) for path, label in labels.items()}, clock)

    def collect(self) -> Iterator[Metric]:
        """Returns all metrics. A directory that cannot be read has the value 0 of `stoplog_path_readable`."""
        readable = GaugeMetricFamily(
            "stoplog_path_readable", "1 if the directory can be read, otherwise 0.", labels=["path"]
        )
        sinks: dict[tuple[str, str], SinkFigures | None] = {}
        for path, storage in self._storages.items():
            try:
                sinks |= self._sinks_of(path, storage)
                readable.add_metric([path], 1)
            except CannotRead:
                readable.add_metric([path], 0)
        yield readable
        yield from _of_logs(sinks)
        yield from _of_words({sink: found for sink, found in sinks.items() if found is not None})

    def _sinks_of(self, path: str, storage: Storage) -> dict[tuple[str, str], SinkFigures | None]:
        now = self._clock()
        found = {(path, sink): self._readers.get((path, sink)) for sink in sink_ids(storage)}
        # A path without its disk is an empty directory: the series must not vanish, because alerts would end.
        known = {key: each for key, each in self._readers.items() if key[0] == path and each.expects_records}
        readers = known | {key: reader or SinkReader(storage, key[1]) for key, reader in found.items()}
        others = {key: reader for key, reader in self._readers.items() if key[0] != path}
        self._readers = others | readers
        labels = _labels(sorted(sink for _, sink in readers), self._labels_of.get(path, {}))
        self._labels_of[path] = labels
        return {(path, labels[sink]): reader.read(now) for (_, sink), reader in readers.items()}


def _labels(names: Iterable[str], known: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """Returns a label for each name. Labels that would be equal without their secrets are numbered.

    Args:
        known: earlier labels, which their names keep: the series of two sinks must not mix.
    """
    labels = dict(known)
    for name in names:
        if name not in labels:
            base = _label(name)
            number = 1 + sum(_label(other) == base for other in labels)
            labels[name] = base if number == 1 else f"{base} #{number}"
    return labels


def _label(name: str) -> str:
    """Returns a label without secrets. Bytes of a name that are not UTF-8 would fail the whole page."""
    return redaction.text(name).encode("utf-8", "backslashreplace").decode("utf-8")


def _of_logs(sinks: Mapping[tuple[str, str], SinkFigures | None]) -> Iterator[Metric]:
    labels = ["path", "sink_id"]
    log = GaugeMetricFamily(
        "stoplog_log_readable",
        "1 if the log can be read, otherwise 0, also if the records of an earlier scrape are gone.",
        labels=labels,
    )
    for sink, found in sinks.items():
        log.add_metric(sink, 0 if found is None else 1)
    yield log
    for each in _FIGURES:
        family = GaugeMetricFamily(f"stoplog_{each.name}", each.help, labels=labels)
        for sink, found in sinks.items():
            if found is not None and (value := each.value(found)) is not None:
                family.add_metric(sink, value)
        yield family
    records = CounterMetricFamily("stoplog_records", "Records ever written to the log.", labels=labels)
    for sink, found in sinks.items():
        if found is not None:
            records.add_metric(sink, 0 if found.newest_seq is None else found.newest_seq + 1)
    yield records


def _of_words(sinks: Mapping[tuple[str, str], SinkFigures]) -> Iterator[Metric]:
    retained = GaugeMetricFamily(
        "stoplog_retained_records",
        "Retained records of the log by kind. A claim without a release belongs to a run that did not end.",
        labels=["path", "sink_id", "kind"],
    )
    driver = GaugeMetricFamily(
        "stoplog_driver_state",
        "1 for the present state of the driver of the last run, 0 for other states.",
        labels=["path", "sink_id", "state"],
    )
    hanging = GaugeMetricFamily(
        "stoplog_driver_hanging",
        "1 if the process of the driver exists, and has missed its heartbeats.",
        labels=["path", "sink_id"],
    )
    for sink, found in sinks.items():
        for kind in RecordKind if found.retained is not None else ():
            retained.add_metric([*sink, kind.value], (found.retained or {}).get(kind, 0))
        if found.driver is not None:
            for state in DriverState:
                driver.add_metric([*sink, state.value], found.driver.state is state)
            hanging.add_metric(sink, found.driver.is_hanging)
    yield retained
    yield driver
    yield hanging
    yield from _of_targets(sinks)


def _of_targets(sinks: Mapping[tuple[str, str], SinkFigures]) -> Iterator[Metric]:
    labels = ["path", "sink_id", "target"]
    lag = GaugeMetricFamily(
        "stoplog_announcement_lag_records", "Records that wait for a target of announcements.", labels=labels
    )
    failing = GaugeMetricFamily(
        "stoplog_announcement_failing",
        "1 if a delivery has failed since the last success of the target.",
        labels=labels,
    )
    for sink, found in sinks.items():
        labels_of = _labels(target.name for target in found.targets)
        for target in found.targets:
            lag.add_metric([*sink, labels_of[target.name]], target.waiting_records)
            failing.add_metric([*sink, labels_of[target.name]], target.last_error is not None)
    yield lag
    yield failing
