// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** Where a source begins when its query has no checkpoint yet. */
sealed trait StartPosition extends Product with Serializable

object StartPosition {

  /** The oldest records that are there. */
  case object Earliest extends StartPosition

  /** Whatever is written from now on. */
  case object Latest extends StartPosition

  /** Where a consumer group has got to. It is asked when the source is built, and never told anything.
    *
    * @param group     its id
    * @param otherwise where to begin in a partition for which it has committed nothing
    */
  final case class Group(group: String, otherwise: Otherwise) extends StartPosition

  /** The first record of each partition whose timestamp is not before this one; where there is none, at the end.
    *
    * @param millis since 1970-01-01T00:00:00Z
    */
  final case class Timestamp(millis: Long) extends StartPosition

  /** Given offsets, by topic and partition: all partitions of all topics. -2 is the earliest, -1 the latest. */
  final case class Offsets(offsets: Map[String, Map[Int, Long]]) extends StartPosition

  def group(id: String, otherwise: Otherwise = Otherwise.Fail): StartPosition = Group(id, otherwise)

  def timestamp(millis: Long): StartPosition = Timestamp(millis)

  def offsets(offsets: Map[String, Map[Int, Long]]): StartPosition = Offsets(offsets)

  /** What to do where a consumer group has committed nothing. */
  sealed abstract class Otherwise(val word: String) extends Product with Serializable

  object Otherwise {
    case object Earliest extends Otherwise("earliest")
    case object Latest   extends Otherwise("latest")
    case object Fail     extends Otherwise("fail")

    val all: Seq[Otherwise] = Seq(Earliest, Latest, Fail)

    private[kafka] def named(word: String): Otherwise = all
      .find(_.word == word)
      .getOrElse(
        throw new IllegalArgumentException(s"'$word' is not one of ${all.map(_.word).mkString(", ")}")
      )
  }
}
