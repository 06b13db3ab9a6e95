// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import io.delta.kernel.commit.Committer
import io.delta.kernel.exceptions.{UnsupportedProtocolVersionException, UnsupportedTableFeatureException}
import io.delta.kernel.internal.SnapshotImpl
import org.apache.hadoop.fs.Path

import stoplog.announce.{Announcement, AnnouncementId, Delivery}
import stoplog.announce.table.{
  ComparedTable, KnownLog, LeftOutFiles, Refusal, SeenPositions, TableContent, TablePosition
}
import stoplog.fault.Faults
import stoplog.options.SparkHadoop
import stoplog.storage.{Durability, Storage, StorageSettings, Truncation}

/** The directory of a sink as a Delta table, which has each finished file by exactly one commit.
  *
  * @param name      of the target, a part of the stored position
  * @param committer makes the commits of tests fail
  */
private[delta] final class DeltaTarget(
    name: String,
    settings: DeltaSettings,
    committer: Committer => Committer = identity
) extends ComparedTable {
  import DeltaTarget._

  private val seen    = new SeenPositions
  private val leftOut = new LeftOutFiles

  private lazy val configuration = SparkHadoop.ofProcess

  override def position(path: String, logName: String): Option[AnnouncementId] = {
    val table = tableAt(path, logName)
    table.newest.flatMap(table.position(_, StoredPosition.prefix(name, logName)).kept)
  }

  override def content(path: String): Option[TableContent] = {
    val table = tableAt(path, name)
    table.newest.map(new TableFiles(table, storageAt(path).files(name), name).content)
  }

  override def deliver(announcements: Vector[Announcement]): Delivery =
    try deliverRest(announcements, MostAttempts)
    catch {
      case e: Refusal =>
        leftOut.refuse(announcements)
        e.delivery
      case e @ (_: UnsupportedTableFeatureException | _: UnsupportedProtocolVersionException) =>
        Delivery.Refused(String.valueOf(e.getMessage).stripSuffix("."))
      case e: CommitUnknown => Delivery.Unknown(s"the storage did not confirm a commit: ${e.getMessage}")
    }

  /** Each attempt reads the position of the version that its commit follows. No other commit is between. */
  @tailrec
  private def deliverRest(announcements: Vector[Announcement], attempts: Int): Delivery = {
    val last     = announcements.last
    val table    = tableAt(announcements.head.path, last.id.log.name)
    val snapshot = table.newest
    val known    = knownLog(table, snapshot, last.id)
    val rest     = announcements.filter(each => known.position.forall(each.id.isAfter))
    val isDone   =
      try {
        if (rest.nonEmpty) commit(table, snapshot, known, rest)
        true
      } catch { case _: VersionTaken => false }
    if (isDone) Delivery.Delivered
    else if (attempts <= 1) Delivery.Retry("other writers have changed the table each time")
    else deliverRest(announcements, attempts - 1)
  }

  private def commit(
      table: DeltaTable,
      snapshot: Option[SnapshotImpl],
      known: KnownLog,
      rest: Vector[Announcement]
  ): Unit = {
    val changes = known.changes(rest).copy(leftOut = leftOut.in(rest, known.position))
    val facts   = LogFacts.of(name, rest.last, KnownLog.listed(rest))
    val commit  = new TableCommit(table, settings, configuration)
    snapshot match {
      case Some(found) =>
        settings.creation.foreach(columns => refuseOther(found, columns.map(_.getName)))
        commit.update(found, changes, facts)
        note(rest.last.id)
      case None if !changes.isEmpty =>
        commit.create(settings.creation.getOrElse(throw missing), changes, facts)
        note(rest.last.id)
      case None => () // the first file creates the table
    }
  }

  private def note(position: AnnouncementId): Unit = {
    seen.note(position)
    leftOut.note(position)
  }

  private def knownLog(table: DeltaTable, snapshot: Option[SnapshotImpl], id: AnnouncementId): KnownLog = {
    val found = snapshot.fold[TablePosition](TablePosition.Missing)(
      table.position(_, StoredPosition.prefix(name, id.log.name))
    )
    KnownLog.refuseSuccessor(found.stored, id.log, "Give the target another name")
    val position   = seen.see(id.log.name, found)
    val properties = snapshot.fold(Map.empty[String, String])(_.getMetadata.getConfiguration.asScala.toMap)
    KnownLog(
      position,
      LogFacts.listedIn(properties, name),
      restart = "Give the target another name and start = snapshot"
    )
  }

  private def refuseOther(table: SnapshotImpl, wanted: Vector[String]): Unit = {
    val found = table.getPartitionColumnNames.asScala.toVector
    if (wanted.nonEmpty && found != wanted)
      throw new Refusal(
        s"the table has the partition columns ${found.mkString("[", ", ", "]")}, and the setting partition requires " +
          s"${wanted.mkString("[", ", ", "]")}. Correct or remove the setting partition"
      )
  }

  private def missing = new Refusal(
    "the directory of the sink is not a Delta table. Create the table, or set create = ifMissing"
  )

  private def tableAt(path: String, logName: String): DeltaTable = {
    val written = new Path(path)
    val root    = written.getFileSystem(configuration).makeQualified(written).toString
    new DeltaTable(root, committer(new LogCommitter(storageAt(path).files(logName))), configuration)
  }

  private def storageAt(path: String): Storage = Storage.at(
    path,
    StorageSettings(Durability.Disk, Truncation.Allowed, configuration, Faults.ofThisJvm)
  )
}

private object DeltaTarget {

  /** Other writers commit rarely at the same moment; the announcer waits between calls. */
  private val MostAttempts = 100
}
