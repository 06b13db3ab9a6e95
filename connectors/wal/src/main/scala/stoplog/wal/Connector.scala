// SPDX-License-Identifier: Apache-2.0
package stoplog.wal

import java.util.{LinkedHashMap => JLinkedHashMap, Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Try

import stoplog.FileSink
import stoplog.error.{Errors, StoplogArgumentException}
import stoplog.options.{Opt, SparkOptions}
import stoplog.util.UserObject

/** A connector whose jar provides a sender and committers. The jar is required only if an option names the
  * connector.
  *
  * @param word          the connector's name in the options `sender` and `committer`; options with this name
  *                      and a dot as prefix belong to the connector
  * @param senderOf      the class name of the connector's sender
  * @param committersOf  the class name of the connector's committers
  */
private[wal] sealed abstract class Connector(val word: String, senderOf: String, committersOf: String)
    extends Product
    with Serializable {

  /** The Maven coordinates of the connector's jar. */
  def artifact: String = s"io.github.stoplog:stoplog-${word}_2.13:${FileSink.version()}"

  /** Returns `STOPLOG_JAR_MISSING` if the jar is missing. */
  def missing: Option[StoplogArgumentException] =
    Try(UserObject.load(senderOf, classOf[RowSender], word)).failed.toOption
      .map(WriteAheadErrors.jarMissing(word, artifact, _))

  /** Returns the sender; `None` if the jar is missing. */
  def sender: Option[RowSender] = load(senderOf, classOf[RowSender])

  /** Returns the committers; `None` if the jar is missing. */
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

/** The options of a connector's sender and committers: the write's options with the connector's prefix,
  * without the prefix.
  */
private[stoplog] final class ConnectorOptions private (own: Seq[(String, String)]) {

  def text(option: Opt[_]): Option[String] = own.collectFirst {
    case (key, value) if key.equalsIgnoreCase(option.key) => value
  }

  def without(option: Opt[_]): ConnectorOptions =
    new ConnectorOptions(own.filterNot(_._1.equalsIgnoreCase(option.key)))

  /** Returns the options with this value for the option, unless the option is set. */
  def withDefault(option: Opt[_], value: Option[String]): ConnectorOptions =
    new ConnectorOptions(own ++ value.filter(_ => text(option).isEmpty).map(option.key -> _))

  /** Returns the options in the form of the connector's own sink. */
  def asJava: JMap[String, String] = own.toMap.asJava
}

private[stoplog] object ConnectorOptions {

  /** Extracts the connector's options. Error: `STOPLOG_INVALID_OPTIONS`.
    *
    * @param options all options of the write
    * @param word    the name of the connector
    * @param idle    options of the connector's own sink without effect in a write-ahead sink
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

/** A cache of recent values. Senders are opened for each chunk, and some must query the target table before
  * they can write. Thread-safe.
  */
private[stoplog] final class Recent[K, V] {
  private val kept = new JLinkedHashMap[K, V](16, 0.75f, true) {
    override def removeEldestEntry(eldest: JMap.Entry[K, V]): Boolean = size > 16
  }

  /** Returns the cached value, or else a new value. Two threads may create the value concurrently. */
  def of(key: K)(make: => V): V = synchronized(Option(kept.get(key))).getOrElse {
    val made = make
    synchronized(kept.put(key, made))
    made
  }

  /** Removes a value, which may be outdated. */
  def forget(key: K): Unit = synchronized {
    kept.remove(key)
    ()
  }
}
