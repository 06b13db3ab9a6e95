# SPDX-License-Identifier: Apache-2.0
"""What can be found out by looking at a sink's directory. Its public face is `stoplog.inspection`."""

from __future__ import annotations
