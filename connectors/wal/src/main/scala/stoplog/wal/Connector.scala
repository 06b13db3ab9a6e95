// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import scala.util.Try

import stoplog.FileSink
import stoplog.error.StoplogArgumentException
import stoplog.util.UserObject

/** A connector whose jar has a sender and committers. This one does without it until somebody asks for them.
  *
  * @param word          as the options `sender` and `committer` spell it; options that begin with it and a dot are the
  *                      connector's
  * @param senderOf      the class of its sender
  * @param committersOf  and that of its committers
  */
private[wal] sealed abstract class Connector(val word: String, senderOf: String, committersOf: String)
    extends Product
    with Serializable {

  /** Its jar, as a build names it. */
  def artifact: String = s"io.github.stoplog:stoplog-${word}_2.13:${FileSink.version()}"

  /** `STOPLOG_WAL_JAR_MISSING`, if its jar is. */
  def missing: Option[StoplogArgumentException] =
    Try(UserObject.load(senderOf, classOf[RowSender], word)).failed.toOption
      .map(WriteAheadErrors.jarMissing(word, artifact, _))

  /** `None` if the jar is missing. */
  def sender: Option[RowSender] = load(senderOf, classOf[RowSender])

  /** `None` if the jar is missing. */
  def committers: Option[CheckpointCommitters] = load(committersOf, classOf[CheckpointCommitters])

  private def load[T](name: String, expected: Class[T]): Option[T] =
    Try(UserObject.load(name, expected, word)).toOption
}

private[wal] object Connector {
  case object Jdbc extends Connector("jdbc", "stoplog.jdbc.wal.JdbcSender", "stoplog.jdbc.wal.JdbcCommitters")

  case object Cassandra
      extends Connector(
        "cassandra",
        "stoplog.cassandra.wal.CassandraSender",
        "stoplog.cassandra.wal.CassandraCommitters"
      )

  def of(word: String): Option[Connector] = Seq(Jdbc, Cassandra).find(_.word.equalsIgnoreCase(word.trim))
}
