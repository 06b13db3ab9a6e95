# SPDX-License-Identifier: Apache-2.0
"""Every method of the builders of files, with arguments of its own, and the options that come of it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from builder_case import Builder, call

from stoplog import (
    Announcement,
    BucketAssigner,
    DefaultRollingPolicy,
    FileCompactStrategy,
    FileSink,
    FileSource,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
    RollingPolicy,
)
from stoplog._shared.definitions import option_keys

FILE_SINK = Builder(
    FileSink.for_row_format(Path("/out"), "json"),
    {"path": "/out", "format": "json"},
    [
        (
            call(
                "with_bucket_assigner", BucketAssigner.date_time_bucket_assigner("yyyy", "Asia/Tokyo", "at")
            ),
            {
                "bucketAssigner": "dateTime",
                "bucketFormat": "yyyy",
                "bucketTimeZone": "Asia/Tokyo",
                "bucketColumn": "at",
            },
        ),
        (
            call("with_bucket_assigner", BucketAssigner.base_path_bucket_assigner()),
            {"bucketAssigner": "basePath"},
        ),
        (call("with_bucket_assigner", BucketAssigner.custom("a.B")), {"bucketAssigner": "a.B"}),
        (
            call("with_bucket_assigner", BucketAssigner.custom("a.B", {"Zone": "UTC", "deep": True})),
            {"bucketAssigner": "a.B", "bucketAssigner.Zone": "UTC", "bucketAssigner.deep": "true"},
        ),
        (
            call("with_bucket_assigner", BucketAssigner.from_function(len)),
            {"bucketFrom": "_python_bucket"},
        ),
        (call("with_bucket_by", "year(ts)"), {"bucketBy": "year(ts)"}),
        (call("with_partition_by", "day", "a,b"), {"partitionBy": "day,`a,b`"}),
        (
            call("with_announcement", Announcement.catalog("events"), "hive"),
            {"announce.hive": "catalog", "announce.hive.table": "events"},
        ),
        (
            call("with_announcement_limits", 5001, timedelta(seconds=9), "fail", 7777),
            {
                "announceBacklog": "5001, 9000ms",
                "announceOnBacklog": "fail",
                "announceAtEnd": "7777ms",
            },
        ),
        (call("with_partition_overwrite_mode", "dynamic"), {"partitionOverwriteMode": "dynamic"}),
        (call("with_replace_where", "day = 1"), {"replaceWhere": "day = 1"}),
        (
            call("with_rolling_policy", DefaultRollingPolicy(7777, 8888, timedelta(seconds=9), 10)),
            {
                "rollingPolicy": "default",
                "maxPartSize": "7777",
                "rolloverInterval": "8888ms",
                "inactivityInterval": "9000ms",
                "maxRecordsPerPart": "10",
            },
        ),
        (call("with_rolling_policy", OnCheckpointRollingPolicy()), {"rollingPolicy": "onCheckpoint"}),
        (call("with_rolling_policy", RollingPolicy.custom("a.C")), {"rollingPolicy": "a.C"}),
        (
            call("with_rolling_policy", RollingPolicy.custom("a.C", {"limit": 5})),
            {"rollingPolicy": "a.C", "rollingPolicy.limit": "5"},
        ),
        (
            call("with_rolling_policy", DefaultRollingPolicy(event_time_interval="10m")),
            {"rollingPolicy": "default", "eventTimeInterval": "10m"},
        ),
        (call("with_event_time_column", "at"), {"eventTimeColumn": "at"}),
        (call("with_bucket_check_interval", 1111), {"bucketCheckInterval": "1111ms"}),
        (
            call("with_output_file_config", OutputFileConfig("pre", ".end")),
            {"partPrefix": "pre", "partSuffix": ".end"},
        ),
        (call("with_output_file_config", OutputFileConfig(part_suffix=".log")), {"partSuffix": ".log"}),
        (call("with_compression", "zstd"), {"compression": "zstd"}),
        (call("with_max_open_parts", 12), {"maxOpenParts": "12"}),
        (call("with_distribution", "byBucket"), {"distribution": "byBucket"}),
        (call("with_distribution", 4), {"distribution": "4"}),
        (call("with_sink_id", "clicks"), {"sinkId": "clicks"}),
        (call("with_on_foreign_query", "adopt"), {"onForeignQuery": "adopt"}),
        (call("with_on_restart", "finish"), {"onRestart": "finish"}),
        (call("with_finalize_on_termination", "always"), {"finalizeOnTermination": "always"}),
        (call("with_on_lost_part", "skip"), {"onLostPart": "skip"}),
        (call("with_on_bad_row", "reject"), {"onBadRow": "reject"}),
        (call("with_on_bad_row", "fail"), {"onBadRow": "fail"}),
        (
            call("with_bucket_complete", "watermark", 1313),
            {"bucketComplete": "watermark 1313ms"},
        ),
        (call("with_bucket_complete", "none"), {"bucketComplete": "none"}),
        (
            call("with_compaction", to="15m", after_epochs=16, compactor="a.E"),
            {
                "compaction": "15m",
                "compactAfterEpochs": "16",
                "compactor": "a.E",
            },
        ),
        (call("with_compaction"), {"compaction": "smallParts"}),
        (
            call("enable_compact", FileCompactStrategy(checkpoints=18, size_threshold="19m"), "a.F"),
            {
                "compaction": "19m",
                "compactAfterEpochs": "18",
                "compactor": "a.F",
            },
        ),
        (call("with_manifest", "json", "30d"), {"manifest": "30d"}),
        (call("with_manifest", "none"), {"manifest": "none"}),
        (call("with_on_schema_change", "additive"), {"onSchemaChange": "additive"}),
        (call("with_durability", "process"), {"durability": "process"}),
        (call("with_option", "inProgress", "bucket"), {"inProgress": "bucket"}),
        (call("with_option", "rollingPolicy.exact", False), {"rollingPolicy.exact": "false"}),
    ],
    option_keys("core"),
    frozenset(
        {
            # Of encoders, bulk writers and views.
            "lineSep", "nullValue", "timeZone", "sink", "logLocation", "view",
            "pythonTimeout",
            # Hadoop's ways, and names of files that few change.
            "inProgress",
            "bucketingSink",
        }
    ),
)  # fmt: skip

FILE_SOURCE = Builder(
    FileSource.for_record_stream_format("text", Path("/in")),
    {"path": "/in", "format": "text"},
    [
        (call("monitor_continuously", timedelta(seconds=3)), {"monitorInterval": "3000ms"}),
        (call("process_static_file_set"), {"monitorInterval": None}),
        (call("with_max_files_per_trigger", 4), {"maxFilesPerTrigger": "4"}),
        (call("with_max_bytes_per_trigger", 5555), {"maxBytesPerTrigger": "5555"}),
        (call("with_max_rows_per_trigger", 6), {"maxRowsPerTrigger": "6"}),
        (call("with_on_changed_file", "tail"), {"onChangedFile": "tail"}),
        (call("with_file_finder", len), {}),
        (call("with_file_enumerator", "nonSplitting"), {"fileEnumerator": "nonSplitting"}),
        (
            call("with_file_enumerator", "a.B", {"suffix": ".txt"}),
            {"fileEnumerator": "a.B", "fileEnumerator.suffix": ".txt"},
        ),
        (call("set_file_enumerator", "nonSplitting"), {"fileEnumerator": "nonSplitting"}),
        (call("with_partition_columns", "day", "a,b"), {"partitionColumns": "day,`a,b`"}),
        (call("with_on_merged_part", "read"), {"onMergedPart": "read"}),
        (call("with_on_replaced_part", "skip"), {"onReplacedPart": "skip"}),
        (call("with_path_glob_filter", "*.log"), {"pathGlobFilter": "*.log"}),
        (call("with_min_file_age", 7777), {"minFileAge": "7777ms"}),
        (call("with_stable_for", 8888), {"stableFor": "8888ms"}),
        (call("with_ready_marker", "_READY"), {"readyMarker": "_READY"}),
        (
            call("with_dates", "yyyy", since="2026-01-01", until="2026-02-01", within=9999),
            {
                "datePattern": "yyyy",
                "dateRange": "2026-01-01/2026-02-01, 9999ms",
            },
        ),
        (call("with_dates", "yyyy/MM"), {"datePattern": "yyyy/MM"}),
        (
            call("with_absence", forget_after=1111, on_other_directory="wait", wait_for_directories=2222),
            {
                "forgetMissingAfter": "1111ms",
                "onOtherDirectory": "wait 2222ms",
            },
        ),
        (
            call("with_quarantine", Path("/quarantine")),
            {"quarantinePath": "/quarantine"},
        ),
        (call("with_read_quarantined", Path("/quarantine")), {"readQuarantined": "/quarantine"}),
        (
            call("with_clean_source", "archive", Path("/read")),
            {"cleanSource": "archive", "sourceArchiveDir": "/read"},
        ),
        (call("with_option", "recursiveFileLookup", False), {"recursiveFileLookup": "false"}),
    ],
    option_keys("core", "source"),
    frozenset(
        {
            # Of formats.
            "source", "columns", "paths", "charset", "lineSep", "timeZone", "lengthPrefix", "maxRecordSize",
            # What few change.
            "recursiveFileLookup", "ignoreMissingFiles",
        }
    ),
)  # fmt: skip
