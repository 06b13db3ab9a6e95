# SPDX-License-Identifier: Apache-2.0
"""Functions of users that run in Spark's tasks: how they travel, and what calls them there."""

from __future__ import annotations
