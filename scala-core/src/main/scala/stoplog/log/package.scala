// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The log of one sink id: its records, their text, and the files that they are in.
  *
  * [[log.LogRecord]] is a record, [[log.RecordCodec]] its bytes, and [[log.CommitLog]] the dense list of them over
  * [[log.LogFiles]]. Golden files among the tests hold the text of every version that was ever written.
  *
  * The package knows parts and files, and nothing of the protocol that writes the records.
  */
package object log
