# SPDX-License-Identifier: Apache-2.0
"""How calls are made beside each other in one task; `stoplog.async_io` is what users see of it."""

from __future__ import annotations
