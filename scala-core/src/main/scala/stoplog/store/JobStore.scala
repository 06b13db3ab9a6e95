// SPDX-License-Identifier: Apache-2.0
package stoplog.store

import stoplog.fault.Faults
import stoplog.part.FinishedPart

/** What a batch job needs of a storage beside parts and records: the sink's path as a whole. */
trait JobStore {

  /** All files below the top-level files and directories that readers see, hidden ones in them included. */
  def visible(): Vector[VisibleFile]

  /** What is done to those that the job replaces. */
  def finished: FinishedStore

  /** Removes these directories, and those above them, as far as nothing is in them any more. Never fails: an empty
    * directory shows no rows.
    */
  def removeEmptied(directories: Seq[String]): Unit

  /** Removes the job's own directory with all that is in it; the newest record last of all files, since whoever finds an
    * older one would carry that out again.
    */
  def remove(faults: Faults): Unit

  /** Whether nobody has written in the job's own directory since then, in milliseconds since 1970-01-01T00:00:00Z. */
  def untouchedSince(millis: Long): Boolean
}

/** A file below the sink's path. */
final case class VisibleFile(path: String, sizeBytes: Long, modifiedAtMillis: Long) {

  /** As a record names it. How many rows it has, nobody knows. */
  def asPart: FinishedPart = {
    val (directory, name) = path.splitAt(path.lastIndexOf('/') + 1)
    FinishedPart(directory.stripSuffix("/"), name, sizeBytes, records = 0, epoch = -1)
  }
}

private[store] object JobStore {

  /** Whether readers see a file or directory of this name. */
  def isVisible(name: String): Boolean = !name.startsWith("_") && !name.startsWith(".")
}
