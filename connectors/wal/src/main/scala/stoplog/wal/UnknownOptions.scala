// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.Locale

import stoplog.options.{OptionReader, Suggestion}

/** Options that nobody reads. A word that is misspelled must not mean its default: `commiter` would make at least once of
  * exactly once.
  */
private[wal] object UnknownOptions {

  /** Each a sentence; none beside classes of the user, whose options only they know. */
  def of(asked: OptionReader): Seq[String] = {
    val words = Seq(WriteAheadOptions.Sender, WriteAheadOptions.Committer).flatMap(asked.text)
    if (words.forall(isOwn)) asked.others.map(_._1).filterNot(isRead).map(sentence) else Nil
  }

  private def isOwn(word: String): Boolean =
    Connector.of(word).isDefined || Seq("http", "files").contains(lower(word.trim))

  // By a connector, as a header, or by Spark.
  private def isRead(key: String): Boolean =
    Seq("jdbc.", "cassandra.", "httpheader.", "_", "asyncprogresstracking").exists(lower(key).startsWith) ||
      Set("checkpointlocation", "queryname", "paths")(lower(key))

  private def sentence(key: String): String = Suggestion.of(key, WriteAheadOptions.all.map(_.key)) match {
    case Some(meant) => s"$key is not an option: did you mean $meant?"
    case None        => s"$key is not an option: remove it."
  }

  private def lower(text: String): String = text.toLowerCase(Locale.ROOT)
}
