// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{BaseTable, CatalogUtil, HasTableOperations, Table, TableOperations}
import org.apache.iceberg.catalog.{Catalog, TableIdentifier}
import org.apache.iceberg.data.{IcebergGenerics, Record}
import org.apache.spark.sql.DataFrame
import org.scalatest.Assertions

import stoplog.announce._

/** A sink's directory with files of Spark, and tables of one catalog. The reader is Iceberg's own.
  *
  * @param properties of the catalog, for a directory
  */
private[iceberg] final class TableFixture(properties: Path => Map[String, String]) extends Assertions {
  private val root          = Files.createTempDirectory("stoplog-iceberg").toRealPath()
  private val warehouse     = root.resolve("warehouse")
  val sink: Path            = Files.createDirectory(root.resolve("sink"))
  val name: TableIdentifier = TableIdentifier.of("db", "events")

  private var files = 0

  lazy val catalogProperties: Map[String, String] = properties(warehouse)

  lazy val catalog: Catalog =
    CatalogUtil.buildIcebergCatalog("iceberg", catalogProperties.asJava, new Configuration)

  def table: Table = catalog.loadTable(name)

  def warehousePath: String = warehouse.toString

  def settings(more: (String, String)*): IcebergSettings = {
    val all = Map("table" -> name.toString, "create" -> "ifMissing") ++
      catalogProperties.map { case (key, value) => s"catalog.$key" -> value } ++ more
    IcebergSettings.of(all.filter(_._2.nonEmpty).asJava)
  }

  def target(more: (String, String)*): IcebergTarget = new IcebergTarget(settings(more: _*))

  /** A target whose commits pass through these operations. */
  def targetBy(operations: TableOperations => TableOperations): IcebergTarget =
    new IcebergTarget(
      settings(),
      opened => {
        val catalog = CatalogUtil.buildIcebergCatalog("iceberg", opened.properties.asJava, new Configuration)
        new CatalogOf(catalog, operations)
      }
    )

  /** Moves the one file of the rows into a bucket, and returns the file. */
  def written(rows: DataFrame, bucket: String = "", format: String = "parquet"): AnnouncedFile = {
    files += 1
    val directory = root.resolve(s"written-$files")
    rows.coalesce(1).write.format(format).save(directory.toString)
    val from = Using.resource(Files.list(directory))(
      _.iterator.asScala.filter(_.toString.endsWith(s".$format")).next()
    )
    val relative = if (bucket.isEmpty) s"part-$files.$format" else s"$bucket/part-$files.$format"
    val to       = sink.resolve(relative)
    Files.createDirectories(to.getParent)
    Files.move(from, to)
    AnnouncedFile(relative, Some(rows.count()), Files.size(to))
  }

  def announced(
      sequence: Long,
      change: Change,
      number: Int = 0,
      log: LogId = TableFixture.Log
  ): Announcement =
    Announcement(
      AnnouncementId(log, sequence, number),
      sink.toString,
      "events",
      change,
      decidedAtMillis = sequence
    )

  def added(sequence: Long, files: AnnouncedFile*): Announcement =
    announced(sequence, Change.Added(bucketOf(files.head), files.toVector))

  def position(target: IcebergTarget): Option[(Long, Int)] =
    target.position(sink.toString, TableFixture.Log.name).map(id => id.sequence -> id.number)

  /** The rows of the table as Iceberg's reader returns them. */
  def rows(columns: String*): Vector[Seq[Any]] =
    Using.resource(IcebergGenerics.read(table).build()) { found =>
      found.asScala.map((row: Record) => columns.map(row.getField)).toVector
    }

  def ids: Vector[Long] = rows("id").map(_.head.asInstanceOf[Long]).sorted

  def delivered(target: IcebergTarget, announcements: Announcement*): Unit =
    assert(target.deliver(announcements.toVector) === Delivery.Delivered)

  def refused(target: IcebergTarget, announcements: Announcement*): String =
    target.deliver(announcements.toVector) match {
      case Delivery.Refused(reason) => reason
      case other                    => fail(s"not refused: $other")
    }

  private def bucketOf(file: AnnouncedFile): String = file.path.take(file.path.lastIndexOf('/').max(0))
}

private[iceberg] object TableFixture {
  val Log: LogId = LogId("events", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")

  def hadoop: TableFixture =
    new TableFixture(warehouse => Map("type" -> "hadoop", "warehouse" -> warehouse.toUri.toString))

  def jdbc: TableFixture = new TableFixture(warehouse =>
    Map(
      "type"      -> "jdbc",
      "uri"       -> s"jdbc:h2:mem:${warehouse.getParent.getFileName};DB_CLOSE_DELAY=-1",
      "jdbc.user" -> "sa",
      "warehouse" -> warehouse.toUri.toString
    )
  )
}

/** A catalog whose tables commit by other operations. */
private final class CatalogOf(catalog: Catalog, operations: TableOperations => TableOperations)
    extends Catalog {
  override def loadTable(name: TableIdentifier): Table = catalog.loadTable(name) match {
    case table: HasTableOperations => new BaseTable(operations(table.operations), name.toString)
    case other                     => other
  }

  override def listTables(namespace: org.apache.iceberg.catalog.Namespace): java.util.List[TableIdentifier] =
    catalog.listTables(namespace)

  override def buildTable(name: TableIdentifier, schema: org.apache.iceberg.Schema): Catalog.TableBuilder =
    catalog.buildTable(name, schema)

  override def dropTable(name: TableIdentifier, purge: Boolean): Boolean = catalog.dropTable(name, purge)

  override def renameTable(from: TableIdentifier, to: TableIdentifier): Unit = catalog.renameTable(from, to)
}
