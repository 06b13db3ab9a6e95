// SPDX-License-Identifier: Apache-2.0
package stoplog.announce.catalog

import java.util.{Map => JMap}

import scala.util.control.NonFatal

import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import stoplog.announce._
import stoplog.announce.setting.TargetSettings
import stoplog.error.Redaction
import stoplog.options.{Opt, OptionGroup, OptionType, SparkHadoop}
import stoplog.storage.HiddenNames

/** The factory of `announce.<name>` = `catalog`. The target uses the session of the query. */
private[stoplog] final class CatalogTargets extends TargetFactory {
  override def kind: String = "catalog"

  override def settings: Set[String] = CatalogSettings.all.map(_.key).toSet

  override def create(name: String, settings: JMap[String, String]): AnnouncementTarget =
    new CatalogTarget(
      CatalogSettings.parse(settings),
      SparkSession.getActiveSession.orElse(SparkSession.getDefaultSession)
    )
}

/** The buckets that become partitions. */
private[catalog] sealed abstract class Partitions(val word: String)

private[catalog] object Partitions {
  case object Complete extends Partitions("complete")
  case object All      extends Partitions("all")
}

/** @param table the parts of the table's name */
private[catalog] final case class CatalogSettings(table: Seq[String], partitions: Partitions) {

  /** The name of the table in SQL. */
  def quoted: String = table.map(part => s"`${part.replace("`", "``")}`").mkString(".")
}

private[catalog] object CatalogSettings {
  case object Catalog extends OptionGroup("Catalog")

  val Table: Opt[Seq[String]] = Catalog.required(
    "table",
    OptionType[Seq[String]]("table name as in SQL", name(_), _.mkString(".")),
    "lake.events"
  )("An external, partitioned table. The names of the buckets are `column=value`, for all partition columns.")

  val PartitionsOf: Opt[Partitions] = Catalog.withDefault(
    "partitions",
    OptionType.named[Partitions](Seq(Partitions.Complete, Partitions.All))(_.word),
    Partitions.Complete,
    "all"
  )(
    "`complete`: a bucket becomes a partition when the bucket is complete. `all`: a bucket becomes a " +
      "partition with its first visible file."
  )

  val all: Seq[Opt[_]] = Seq(Table, PartitionsOf)

  def parse(settings: JMap[String, String]): CatalogSettings = TargetSettings.read(settings, all) { reader =>
    if (!reader.isSet(Table)) reader.errors.add("table is not set.")
    CatalogSettings(reader.get(Table).getOrElse(Nil), reader(PartitionsOf))
  }

  private def name(text: String): Either[String, Seq[String]] =
    try Right(CatalystSqlParser.parseMultipartIdentifier(text.trim))
    catch { case NonFatal(_) => Left("is not the name of a table") }
}

/** Adds partitions of complete buckets, or of all buckets, and drops partitions of empty buckets. The current
  * files decide about each change, so that repeated and late announcements do no harm. The announcements of
  * another log may have emptied the bucket before.
  *
  * The target of another log may add a partition between the look at the files and the drop. So each drop is
  * followed by another look: an addition after this look follows its own files.
  */
private[catalog] class CatalogTarget(settings: CatalogSettings, ofQuery: Option[SparkSession])
    extends AnnouncementTarget {

  /** Rejects a table whose data a dropped partition would delete. */
  override def check(): Unit = {
    val found               = session.catalog.getTable(settings.quoted)
    val columns             = session.catalog.listColumns(settings.quoted).collect().count(_.isPartition)
    def refuse(why: String) =
      throw new IllegalArgumentException(s"the table ${settings.quoted} $why")
    if (found.tableType != "EXTERNAL")
      refuse(
        s"is not external but ${found.tableType}: create the table with LOCATION and the path of the sink"
      )
    if (columns == 0) refuse("has no partition columns")
    if (purges)
      refuse(s"has the property ${CatalogTarget.Purge}, by which a dropped partition deletes its files")
  }

  override def deliver(announcements: Vector[Announcement]): Delivery =
    try {
      check()
      // The last step of a bucket decides.
      announcements.flatMap(steps).groupMapReduce(_._1)(_._2)((_, last) => last).toSeq.sortBy(_._1).foreach {
        case (_, change) => change()
      }
      Delivery.Delivered
    } catch {
      // Spark wraps failures of a metastore.
      case e: AnalysisException if e.getCause == null => Delivery.Refused(reason(e))
      case e: IllegalArgumentException                => Delivery.Refused(reason(e))
      case NonFatal(e)                                => Delivery.Retry(reason(e))
    }

  /** Changes the table. */
  protected def alter(change: String): Unit = session.sql(s"ALTER TABLE ${settings.quoted} $change"): Unit

  /** Returns changes of the table, each with its bucket. */
  private def steps(announcement: Announcement): Vector[(String, () => Unit)] = {
    val files                   = new BucketDirectories(announcement.path, SparkHadoop.of(session))
    val isAll                   = settings.partitions == Partitions.All
    def isDue(bucket: String)   = isAll || files.hasMarker(bucket)
    def isReady(bucket: String) = !files.isEmpty(bucket) && isDue(bucket)
    def addition(bucket: String, spec: String) =
      s"ADD IF NOT EXISTS PARTITION ($spec) LOCATION ${BucketSpec.literal(files.location(bucket))}"
    def added(bucket: String)   = step(bucket)(spec => if (isReady(bucket)) alter(addition(bucket, spec)))
    def dropped(bucket: String) = step(bucket) { spec =>
      alter(s"DROP IF EXISTS PARTITION ($spec)")
      if (isReady(bucket)) alter(addition(bucket, spec))
    }
    announcement.change match {
      case Change.PartitionComplete(bucket, _)                => added(bucket)
      case Change.Added(bucket, _) if isAll                   => added(bucket)
      case Change.Replaced(bucket, _, _) if isAll             => added(bucket)
      case Change.Removed(bucket, _) if files.isEmpty(bucket) => dropped(bucket)
      case Change.Snapshot(bucket, _) if isDue(bucket)        => added(bucket)
      case Change.Gap(_, _)                                   =>
        val depth = session.catalog.listColumns(settings.quoted).collect().count(_.isPartition)
        files.buckets(depth).filter(isReady).flatMap(added)
      case _ => Vector.empty
    }
  }

  /** Files of the path itself, and files that readers skip, belong to no partition. */
  private def step(bucket: String)(change: String => Unit): Vector[(String, () => Unit)] =
    if (bucket.isEmpty || HiddenNames.areIn(bucket)) Vector.empty
    else {
      val spec = BucketSpec.sql(bucket) // before any change, because an unsuitable bucket is refused
      Vector(bucket -> (() => change(spec)))
    }

  private def purges: Boolean = session
    .sql(s"SHOW TBLPROPERTIES ${settings.quoted} ('${CatalogTarget.Purge}')")
    .collect()
    .exists(_.getString(1).equalsIgnoreCase("true"))

  private def session: SparkSession = ofQuery.getOrElse {
    throw new IllegalStateException("the catalog needs a Spark session, and this process has none")
  }

  private def reason(e: Throwable): String =
    Redaction.text(Option(e.getMessage).getOrElse(e.toString).linesIterator.next()).stripSuffix(".")
}

private object CatalogTarget {
  final val Purge = "external.table.purge"
}
