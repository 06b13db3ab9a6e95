// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

/** The ways in which a storage can change a file that was closed. */
sealed trait Growth extends Product with Serializable
object Growth {

  /** Append to it, and cut it. */
  case object AppendAndTruncate extends Growth

  /** Append to it; to be cut, it has to be copied. */
  case object AppendOnly extends Growth

  /** Nothing: it stays as it was written. */
  case object CreateOnly extends Growth

  /** The advice to a user whose storage cannot append. */
  val Larger: String =
    "For larger files set a longer trigger interval or distribution=byBucket, or write to a file system that can append."
}
