# SPDX-License-Identifier: Apache-2.0
"""What looks like a secret is not shown: the same examples as the jar's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stoplog import JdbcSink, KafkaSink, StoplogError, WriteAheadSink
from stoplog._text import redaction
from stoplog.inspection import SinkDirectory

EXAMPLES: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "scala-core/src/test/resources/redaction.json").read_text("utf-8")
)


@pytest.mark.parametrize("example", EXAMPLES["texts"], ids=lambda example: example["said"][:40])
def test_secrets_in_messages_are_hidden(example: dict[str, str]) -> None:
    assert redaction.text(example["said"]) == example["shown"]
    assert redaction.text(example["shown"]) == example["shown"], "what is hidden stays as it is"


def test_options_are_secret_by_name() -> None:
    assert all(redaction.is_secret(key) for key in EXAMPLES["secret"])
    assert not any(redaction.is_secret(key) for key in EXAMPLES["open"])


def test_errors_of_this_package_show_no_secret() -> None:
    error = StoplogError("STOPLOG_CANNOT_READ", "s3://AKID:hunter2@bucket/out cannot be read.")
    assert str(error) == "s3://AKID:…@bucket/out cannot be read."


@pytest.mark.parametrize(
    "shown",
    [
        JdbcSink.for_table("jdbc:postgresql://shop:hunter2@db/x", "orders"),
        JdbcSink.for_table("jdbc:postgresql://db/x", "orders").with_option("accessToken", "hunter2"),
        KafkaSink.to("host:9092").with_producer_setting("sasl.jaas.config", 'password="hunter2"'),
        WriteAheadSink.to_http("https://u:hunter2@example.com/rows?key=hunter2"),
        WriteAheadSink.to_http("https://example.com/rows").with_header("X-Team", "hunter2"),
        WriteAheadSink.to_jdbc("jdbc:postgresql://db/x?password=hunter2", "orders"),
    ],
)
def test_builders_show_no_secret(shown: object) -> None:
    assert "hunter2" not in repr(shown)
    assert "…" in repr(shown)


def test_a_directory_shows_no_secret_of_the_address() -> None:
    directory = SinkDirectory("memory://me:hunter2@x/y")
    assert repr(directory) == "SinkDirectory('memory://me:…@x/y')"
