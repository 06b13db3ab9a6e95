// SPDX-License-Identifier: Apache-2.0
package stoplog.python

/** Sources of user code in Python: the splits of a source, and the files of the file source. The driver calls
  * a Python process, and Spark's own Python workers read the splits.
  */
package object source
