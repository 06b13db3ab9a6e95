# SPDX-License-Identifier: Apache-2.0
"""Reads the commit log of a sink without Spark or a JVM. Only the Scala code writes logs."""

from __future__ import annotations
