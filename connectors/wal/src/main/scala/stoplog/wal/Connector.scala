// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import stoplog.FileSink
import stoplog.error.{Errors, StoplogArgumentException}
import stoplog.options.{Opt, SparkOptions}
import stoplog.util.UserObject

/** A connector whose jar has a sender and committers. This jar needs it only for an option that names it.
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

/** The options of a connector's sender and committers: those of a write that begin with its word and a dot, here without. */
private[stoplog] final class ConnectorOptions private (own: Seq[(String, String)]) {

  def text(option: Opt[_]): Option[String] = own.collectFirst {
    case (key, value) if key.equalsIgnoreCase(option.key) => value
  }

  def without(option: Opt[_]): ConnectorOptions =
    new ConnectorOptions(own.filterNot(_._1.equalsIgnoreCase(option.key)))

  /** With a value for what was not set, if there is one. */
  def withDefault(option: Opt[_], value: Option[String]): ConnectorOptions =
    new ConnectorOptions(own ++ value.filter(_ => text(option).isEmpty).map(option.key -> _))

  /** As those of a sink of the connector's own. */
  def asJava: JMap[String, String] = own.toMap.asJava
}

private[stoplog] object ConnectorOptions {

  /** Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param options all of a write
    * @param word    of the connector
    * @param idle    options of a sink of the connector's own that mean nothing here
    */
  def of(options: JMap[String, String], word: String, idle: Seq[Opt[_]]): ConnectorOptions = {
    val prefix = s"$word."
    val own    = new ConnectorOptions(SparkOptions.spelled(options).collect {
      case (key, value) if key.regionMatches(true, 0, prefix, 0, prefix.length) =>
        key.drop(prefix.length) -> value
    })
    val set = idle.filter(own.text(_).isDefined)
    if (set.nonEmpty)
      throw Errors.invalidOptions(
        set.map(option => s"$prefix${option.key} has no effect in a write-ahead sink: remove it.")
      )
    own
  }
}

/** The values that were made last, for senders that must ask a system about its table before they can write to it, and are
  * opened for each chunk. Used by several threads.
  */
private[stoplog] final class Recent[K, V] {
  private val kept = new JLinkedHashMap[K, V](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[K, V]): Boolean = size > 16
  }

  /** The one that is kept, or else a new one. Two threads may make it at once. */
  def of(key: K)(make: => V): V = synchronized(Option(kept.get(key))).getOrElse {
    val made = make
    synchronized(kept.put(key, made))
    made
  }

  /** It may be out of date. */
  def forget(key: K): Unit = synchronized {
    kept.remove(key)
    ()
  }
}
