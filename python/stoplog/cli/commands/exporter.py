# SPDX-License-Identifier: Apache-2.0
"""`stoplog exporter PATH…`: shows the figures of sinks to Prometheus."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from stoplog.cli.command import Answer, Command, add_pairs, non_empty
from stoplog.errors import StoplogError
from stoplog.inspection import now_millis

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

_LARGEST_PORT = 65535


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "paths", metavar="PATH", nargs="+", type=non_empty, help="the path of a sink, as for stoplog status"
    )
    add_pairs(parser, "--fs-option", "an option of pyarrow's file system, for all paths")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument(
        "--textfile",
        metavar="FILE",
        type=non_empty,
        help="write the metrics once to this file, for the textfile collector of the node exporter",
    )
    where.add_argument("--port", metavar="N", type=_port, help="serve /metrics here until interrupted")
    parser.add_argument(
        "--address",
        metavar="HOST",
        type=non_empty,
        default="127.0.0.1",
        help="the address of the port (default: 127.0.0.1; 0.0.0.0 for all)",
    )


def run(given: Namespace) -> Answer:
    registry = _registry(given)
    return _written(registry, given.textfile) if given.textfile else _served(registry, given)


def _registry(given: Namespace) -> CollectorRegistry:
    try:
        from prometheus_client import CollectorRegistry

        from stoplog._exporter.collector import SinkCollector
    except ImportError:
        raise StoplogError(
            "STOPLOG_TOOL_INCOMPLETE",
            "stoplog exporter needs prometheus_client. Run: pip install 'stoplog[exporter]'",
        ) from None
    registry = CollectorRegistry()
    registry.register(SinkCollector.of(given.paths, dict(given.fs_option), now_millis))
    return registry


def _written(registry: CollectorRegistry, file: str) -> Answer:
    from prometheus_client import write_to_textfile

    try:
        write_to_textfile(file, registry)  # a new file and a rename
    except OSError as error:
        raise StoplogError(
            "STOPLOG_CANNOT_WRITE",
            f"{file} cannot be written: {error.strerror}. Choose another --textfile.",
        ) from None
    return Answer({"textfile": file}, lambda: (f"Wrote {file}.",))


def _served(registry: CollectorRegistry, given: Namespace) -> Answer:
    from prometheus_client import start_http_server

    try:
        server, thread = start_http_server(given.port, given.address, registry)
    except OSError as error:
        raise StoplogError(
            "STOPLOG_CANNOT_WRITE",
            f"{given.address}:{given.port} cannot be opened: {error.strerror}. Choose another --port.",
        ) from None
    print(f"Serving http://{given.address}:{server.server_port}/metrics", file=sys.stderr, flush=True)
    try:
        thread.join()
    finally:
        server.shutdown()
    return Answer({}, tuple)


def _port(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text) > _LARGEST_PORT:
        raise ArgumentTypeError(f"'{text}' is not a port number")
    return int(text)


COMMAND = Command(
    "exporter", "Export metrics of sinks to Prometheus, including sinks of stopped queries.", arguments, run
)
