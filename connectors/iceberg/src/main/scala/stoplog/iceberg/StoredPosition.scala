// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest
import java.util.HexFormat
import java.util.concurrent.TimeUnit

import scala.collection.{Map => AnyMap}
import scala.jdk.CollectionConverters._

import org.apache.iceberg.{Snapshot, Table, TableMetadata}
import org.apache.iceberg.util.SnapshotUtil

import stoplog.announce.{Announcement, AnnouncementId, LogId}
import stoplog.announce.table.{Refusal, TablePosition}

/** The newest delivered announcement of a log, as a property of the table. Snapshots expire, properties do
  * not.
  *
  * @param key    the name of the property
  * @param millis the time of the decision
  */
private[iceberg] final case class StoredPosition(key: String, id: AnnouncementId, millis: Long) {

  /** The properties of the table for other facts of the log. */
  def propertyOf(fact: String): String = s"stoplog.$fact.${key.stripPrefix(StoredPosition.Prefix)}"

  /** The properties of all logs of the path for a fact. */
  def ofPath(fact: String, properties: AnyMap[String, String]): Map[String, String] =
    properties.view.filterKeys(isOfPath(fact, _)).toMap

  /** Whether a property is a fact of a log of the path. */
  def isOfPath(fact: String, name: String): Boolean = StoredPosition.isOfPath(name, fact, key)

  def value: String = s"${id.log.identity}/${id.sequence}/${id.number}@$millis"

  /** The properties for the summary of a snapshot. */
  def summary: Map[String, String] = Map(
    StoredPosition.LogKey      -> id.log.name,
    StoredPosition.IdentityKey -> id.log.identity,
    StoredPosition.SequenceKey -> id.sequence.toString,
    StoredPosition.NumberKey   -> id.number.toString
  )

  /** The properties of batch jobs that have ended long ago: each job has a log of its own. */
  def outdated(properties: AnyMap[String, String]): Set[String] = {
    val limit = millis - StoredPosition.BatchMillis
    val logs  = properties.collect {
      case (other, value)
          if other.startsWith(StoredPosition.OfBatch) && StoredPosition.millisOf(value).exists(_ < limit) =>
        other.stripPrefix(StoredPosition.Prefix)
    }
    logs
      .filter(log => !key.endsWith(log))
      .flatMap(log => properties.keys.filter(name => name.startsWith("stoplog.") && name.endsWith(s".$log")))
      .toSet
  }
}

private[iceberg] object StoredPosition {

  /** The fact that a table knows about a log: its position. */
  val Fact: String = "position"

  /** The name of the log in the summary of a snapshot of a sink. */
  val LogKey: String = "stoplog.log"

  private val IdentityKey = "stoplog.identity"
  private val SequenceKey = "stoplog.sequence"
  private val NumberKey   = "stoplog.number"

  private val Prefix      = s"stoplog.$Fact."
  private val OfBatch     = s"${Prefix}batch-"
  private val BatchMillis = TimeUnit.DAYS.toMillis(30)

  private def millisOf(value: String): Option[Long] = value.split("@").lastOption.flatMap(_.toLongOption)

  /** The position of the announcement itself. */
  def at(announcement: Announcement, path: SinkPath): StoredPosition =
    StoredPosition(key(announcement.id.log.name, path), announcement.id, announcement.decidedAtMillis)

  /** The property of a log. Two sinks with equal names and different paths have different properties. */
  def key(logName: String, path: SinkPath): String = {
    val digest = MessageDigest.getInstance("SHA-256").digest(path.withoutScheme.getBytes(UTF_8))
    s"$Prefix$logName.${HexFormat.of().formatHex(digest.take(4))}"
  }

  /** Whether a property of the table has a fact about any log of the path. */
  def isOfPath(property: String, fact: String, path: SinkPath): Boolean =
    isOfPath(property, fact, key("", path))

  private def isOfPath(property: String, fact: String, key: String): Boolean =
    property.startsWith(s"stoplog.$fact.") && property.endsWith(s".${key.split('.').last}")

  /** Returns the position in a table. A rollback keeps the properties of the table, and returns to a snapshot
    * before those of the log.
    */
  def in(table: Table, key: String): TablePosition =
    TablePosition.of(of(table.properties.asScala, key, SnapshotUtil.currentAncestors(table).asScala))(id =>
      isSetBack(table, id.log)
    )

  /** Returns the position in the metadata of a table. */
  def in(metadata: TableMetadata, key: String): Option[AnnouncementId] = {
    val current = Option(metadata.currentSnapshot).map(_.snapshotId)
    val history = current.toVector.flatMap { id =>
      SnapshotUtil.ancestorsOf(id, (each: java.lang.Long) => metadata.snapshot(each)).asScala
    }
    of(metadata.properties.asScala, key, history)
  }

  /** Whether the newest snapshot of a log is not in the history of the table. A history that ends at an
    * expired snapshot proves nothing about older snapshots. A history whose first snapshot has no parent is
    * whole: the table was replaced.
    */
  private def isSetBack(table: Table, log: LogId): Boolean = {
    def place(snapshot: Snapshot) = (snapshot.sequenceNumber, snapshot.timestampMillis)

    table.snapshots.asScala.filter(delivered(_, log).nonEmpty).maxByOption(place).exists { newest =>
      val history = SnapshotUtil.currentAncestors(table).asScala.toVector
      !history.exists(_.snapshotId == newest.snapshotId) &&
      history.lastOption.forall { oldest =>
        oldest.parentId == null || Ordering[(Long, Long)].lt(place(oldest), place(newest))
      }
    }
  }

  /** The newest announcement of a log that a snapshot has delivered. */
  private def delivered(snapshot: Snapshot, log: LogId): Option[AnnouncementId] = {
    def value(key: String) = Option(snapshot.summary.get(key))
    for {
      _        <- value(LogKey).filter(_ == log.name)
      _        <- value(IdentityKey).filter(_ == log.identity)
      sequence <- value(SequenceKey).flatMap(_.toLongOption)
      number   <- value(NumberKey).flatMap(_.toIntOption)
    } yield AnnouncementId(log, sequence, number)
  }

  /** Returns the stored id, or the id of a later snapshot. A REST catalog may set the property back to the
    * value of a driver that has lost its log.
    */
  private def of(
      properties: AnyMap[String, String],
      key: String,
      history: => Iterable[Snapshot]
  ): Option[AnnouncementId] = of(properties, key).map { stored =>
    history.iterator.flatMap(delivered(_, stored.log)).foldLeft(stored) { (newest, next) =>
      if (next.isAfter(newest)) next else newest
    }
  }

  private def of(properties: AnyMap[String, String], key: String): Option[AnnouncementId] =
    properties.get(key).map { value =>
      val name = key.stripPrefix(Prefix).reverse.dropWhile(_ != '.').drop(1).reverse
      value.takeWhile(_ != '@').split("/") match {
        case Array(identity, sequence, number) =>
          AnnouncementId(LogId(name, identity), sequence.toLong, number.toInt)
        case _ =>
          throw new Refusal(
            s"the table property $key has the value '$value', which is not a position. Restore it"
          )
      }
    }
}
