# SPDX-License-Identifier: Apache-2.0
"""The commit log of a sink, read without Spark or a JVM. What is written is Scala's business alone."""

from __future__ import annotations
