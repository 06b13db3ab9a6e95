// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import org.apache.iceberg.{CatalogUtil, Table}
import org.apache.iceberg.catalog.Catalog
import org.apache.iceberg.exceptions.{
  CommitFailedException, CommitStateUnknownException, NoSuchTableException, ValidationException
}

import stoplog.announce.{Announcement, AnnouncementId, Delivery}
import stoplog.announce.table.{
  ComparedTable, FileChanges, KnownLog, LeftOutFiles, ReadFiles, Refusal, SeenPositions, TableContent,
  TablePosition
}
import stoplog.options.SparkHadoop

/** An Iceberg table that contains the finished files of a sink, each in exactly one commit. The files stay
  * in the directory of the sink; the table has their addresses, partitions and statistics.
  */
private[iceberg] final class IcebergTarget(settings: IcebergSettings, open: IcebergSettings => Catalog)
    extends ComparedTable {

  def this(settings: IcebergSettings) = this(settings, IcebergTarget.catalog(_))

  private lazy val configuration = SparkHadoop.ofProcess

  private var opened  = Option.empty[Catalog]
  private val seen    = new SeenPositions
  private val leftOut = new LeftOutFiles

  override def check(): Unit =
    try
      existing match {
        case Some(table) => settings.creation.foreach(_.refuseOther(table.spec))
        case None        => if (settings.creation.isEmpty) throw missing
      }
    catch { case e: Refusal => throw new IllegalArgumentException(s"${e.reason}.", e) }

  override def position(path: String, logName: String): Option[AnnouncementId] =
    existing.flatMap(table => StoredPosition.in(table, StoredPosition.key(logName, sinkPath(path))).kept)

  override def content(path: String): Option[TableContent] =
    existing.map(new TableFiles(_, sinkPath(path)).content)

  override def deliver(announcements: Vector[Announcement]): Delivery =
    try {
      deliverRest(announcements)
      Delivery.Delivered
    } catch {
      case e: Refusal =>
        leftOut.refuse(announcements)
        e.delivery
      case e: CommitStateUnknownException =>
        Delivery.Unknown(s"the catalog did not confirm a commit: ${reason(e)}")
      case e @ (_: CommitFailedException | _: ValidationException) =>
        Delivery.Retry(s"other writers have changed the table: ${reason(e)}")
    }

  override def close(): Unit = opened.foreach {
    case closeable: AutoCloseable => closeable.close()
    case _                        => ()
  }

  @tailrec
  private def deliverRest(announcements: Vector[Announcement]): Unit = {
    val path    = sinkPath(announcements.head.path)
    val last    = StoredPosition.at(announcements.last, path)
    val table   = existing
    val known   = knownLog(table, last)
    val rest    = announcements.filter(each => known.position.forall(each.id.isAfter))
    val changes = known.changes(rest).copy(leftOut = leftOut.in(rest, known.position))
    if (rest.nonEmpty && (table.nonEmpty || !changes.isEmpty)) {
      val isDelivered =
        try {
          val target = table.getOrElse(created(changes, path, last.id.log.name))
          path.refuseInside(target.location, configuration)
          new TableCommit(target, path, settings, configuration).commit(
            changes,
            known,
            last,
            KnownLog.listed(rest)
          )
          seen.note(last.id)
          leftOut.note(last.id)
          true
        } catch { case _: PositionChanged => false }
      if (!isDelivered) deliverRest(rest)
    }
  }

  private def knownLog(table: Option[Table], position: StoredPosition): KnownLog = KnownLog(
    stored(table, position),
    table
      .fold(Map.empty[String, String])(found => position.ofPath(TableCommit.Listed, found.properties.asScala))
      .values
      .flatMap(_.toLongOption)
      .maxOption,
    restart =
      s"Remove the table properties stoplog.position.${position.id.log.name}.*, and give the target another name and " +
        "start = snapshot"
  )

  private def stored(table: Option[Table], position: StoredPosition): Option[AnnouncementId] = {
    val found = table.fold[TablePosition](TablePosition.Missing)(StoredPosition.in(_, position.key))
    KnownLog.refuseSuccessor(found.stored, position.id.log, s"Remove the table property ${position.key}")
    seen.see(position.id.log.name, found)
  }

  private def created(changes: FileChanges, path: SinkPath, logName: String): Table = {
    val creation = settings.creation.getOrElse(throw missing)
    val columns  = ReadFiles.first(path.qualified, logName, changes.files, configuration) { name =>
      FileFooter.read(path.file(name), configuration).schema
    }
    creation.create(catalog, settings.table, columns)
    existing.getOrElse(throw missing)
  }

  private def existing: Option[Table] =
    try Some(catalog.loadTable(settings.table))
    catch { case _: NoSuchTableException => None }

  private def missing = new Refusal(
    s"the catalog ${settings.catalog} has no table ${settings.table}. Create the table, or set create = ifMissing"
  )

  private def catalog: Catalog = opened.getOrElse {
    val catalog = open(settings)
    opened = Some(catalog)
    catalog
  }

  private def sinkPath(path: String): SinkPath = SinkPath.of(path, settings.location, configuration)

  private def reason(e: Throwable): String =
    Option(e.getMessage).getOrElse(e.toString).linesIterator.nextOption().getOrElse("").stripSuffix(".")
}

private object IcebergTarget {

  private def catalog(settings: IcebergSettings): Catalog =
    CatalogUtil.buildIcebergCatalog(settings.catalog, settings.properties.asJava, SparkHadoop.ofProcess)
}
