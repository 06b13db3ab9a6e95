// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.options.{SinkOptionRegistry => Registry}

/** Where parts are kept until they are finished, as asked for. */
sealed trait Staging extends Product with Serializable {

  /** The options that stand for it. */
  def toMap: Map[String, String]
}

object Staging {

  /** The one that a log's settings stand for. */
  def recorded(settings: Map[String, String]): Staging = {
    def text(key: String): String = settings.getOrElse(key, "")
    if (text(Registry.InProgress.key) != "bucket") StagingDirectory
    else
      InBucket(
        text(Registry.InProgressPrefix.key),
        text(Registry.InProgressSuffix.key),
        text(Registry.PendingPrefix.key),
        text(Registry.PendingSuffix.key)
      )
  }

  /** Under `_stoplog/<sinkId>/open` in the path. */
  case object StagingDirectory extends Staging {
    override def toMap: Map[String, String] = Map(Registry.InProgress.key -> "staging")
  }

  /** Beside the finished files, between markers that hide them from readers.
    *
    * Both prefixes begin with `.` or `_`, no suffix is empty, and the two pairs differ.
    */
  final case class InBucket(
      inProgressPrefix: String,
      inProgressSuffix: String,
      pendingPrefix: String,
      pendingSuffix: String
  ) extends Staging {
    override def toMap: Map[String, String] =
      Map(
        Registry.InProgress.key       -> "bucket",
        Registry.InProgressPrefix.key -> inProgressPrefix,
        Registry.InProgressSuffix.key -> inProgressSuffix,
        Registry.PendingPrefix.key    -> pendingPrefix,
        Registry.PendingSuffix.key    -> pendingSuffix
      )
  }
}
