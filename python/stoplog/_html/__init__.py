# SPDX-License-Identifier: Apache-2.0
"""HTML and SVG from Python's own strings: escaped, static, without anything from elsewhere."""
