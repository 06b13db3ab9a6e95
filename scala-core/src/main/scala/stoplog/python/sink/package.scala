// SPDX-License-Identifier: Apache-2.0
package stoplog.python

/** Sinks of user code in Python with a two-phase commit. Spark's Python workers prepare the rows; the JVM
  * records what they have prepared; the driver's Python process commits what the record names.
  */
package object sink
