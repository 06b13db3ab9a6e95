// SPDX-License-Identifier: Apache-2.0
package stoplog.format

/** Avro object containers, encoded as by Spark's writer. A block ends with each epoch.
  *
  * The package depends on Spark's Avro classes by name, and on [[stoplog.format.bulk]].
  */
package object avro
