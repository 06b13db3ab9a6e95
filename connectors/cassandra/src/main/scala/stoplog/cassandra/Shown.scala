// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra

/** Options as `toString` shows them. */
private[cassandra] object Shown {
  def text(name: String, options: Map[String, String]): String = options.toSeq.sorted
    .map { case (key, value) => s"$key=${if (isSecret(key)) "…" else value}" }
    .mkString(s"$name(", ", ", ")")

  private def isSecret(key: String) = key.toLowerCase.contains("password")
}
