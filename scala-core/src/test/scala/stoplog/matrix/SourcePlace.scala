// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Faults
import stoplog.source.StateFiles
import stoplog.storage.SourceFiles

/** Where files come and go that a source reads, and where its state is; looked at by other means than the source's. */
trait SourcePlace {

  /** As a new process would make them. */
  def files(faults: Faults): SourceFiles
  def state(faults: Faults): StateFiles

  /** Absolute, of the directory for files that have been read. */
  def archive: String

  /** A file is renamed in, whole; where the storage lets it, with an old time. */
  def arrive(name: String, content: String, modifiedMillis: Long): Unit

  def delete(name: String): Unit

  /** The contents of all that is there to be read, by name. */
  def unread(): Map[String, String]

  /** The same of all that was put away. */
  def archived(): Map[String, String]

  def remove(): Unit
}
