# SPDX-License-Identifier: Apache-2.0
"""`python -m stoplog.cli`, where the script is not installed."""

from __future__ import annotations

from stoplog.cli.main import run

if __name__ == "__main__":
    run()
