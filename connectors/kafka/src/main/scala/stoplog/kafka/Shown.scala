// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** Options as text. */
private[kafka] object Shown {

  /** What looks like a secret is left out, as in Spark's own logs. */
  def options(name: String, all: Map[String, String]): String = all.toSeq.sorted
    .map { case (key, value) => s"$key=${if (Secret.findFirstIn(key).isDefined) "…" else value}" }
    .mkString(s"$name(", ", ", ")")

  private val Secret = "(?i)secret|password|token|credential|jaas|keystore\\.key".r
}
