// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.storage.Growth

/** The capabilities of a file system, as [[CapabilityProbe]] found out. Goes to the executors with the store. */
final case class Capabilities(growth: Growth, exclusion: Exclusion)

/** Which step of the file system at most one of many callers gets done: all of the commit log rests on it. */
sealed trait Exclusion extends Product with Serializable
object Exclusion {

  /** Renaming a file to a name: where it is taken, the file system refuses. */
  case object ByRename extends Exclusion

  /** Creating a file, which no reader sees before it is whole: where one is there, the file system refuses. */
  case object ByCreate extends Exclusion
}
