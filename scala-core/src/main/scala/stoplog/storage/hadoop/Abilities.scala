// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

/** What a file system can do with a file, as [[Trial]] found out. Goes to the executors with the store. */
final case class Abilities(growth: Growth, exclusion: Exclusion)

/** What can be done with a file that was closed. */
sealed trait Growth extends Product with Serializable
object Growth {

  /** It can be appended to, and cut. */
  case object AppendAndTruncate extends Growth

  /** It can be appended to, and must be copied to be cut. */
  case object AppendOnly extends Growth

  /** Nothing: it is as it was written. */
  case object CreateOnly extends Growth
}

/** Which step of the file system at most one of many callers gets done: all of the commit log rests on it. */
sealed trait Exclusion extends Product with Serializable
object Exclusion {

  /** Renaming a file to a name: where it is taken, the file system refuses. */
  case object ByRename extends Exclusion

  /** Creating a file, which nobody sees before it is whole: where one is there, the file system refuses. */
  case object ByCreate extends Exclusion
}
