// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The log of one sink id: its records, their encoding, and their files.
  *
  * [[log.LogRecord]] is a record, [[log.RecordCodec]] encodes records, and [[log.CommitLog]] is the dense
  * sequence of records over [[log.LogFiles]]. Golden files in the tests contain the text of every written
  * version.
  *
  * The package depends on parts and files, and is independent of the protocol that writes the records.
  */
package object log
