// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Avro object containers, in the bytes of Spark's own writer. A block ends with each epoch.
  *
  * The package knows Spark's Avro by the names of its classes, and [[stoplog.format.bulk]].
  */
package object avro
