# SPDX-License-Identifier: Apache-2.0
"""Access to the jar: in the JVM of a session, and in a separate JVM for the jar's tools."""

from __future__ import annotations
