# SPDX-License-Identifier: Apache-2.0
"""User code in Python for the jar: how it is sent, and both ends of its calls.

The modules `model`, `opening`, `task` and `committing` also run on machines without this package, to which
`carrier` sends their source. They import only Python's own library, and pyarrow and pyspark within functions.
"""
