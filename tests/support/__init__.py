# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share. Nothing here reads rows through the product or through Spark."""

from __future__ import annotations
