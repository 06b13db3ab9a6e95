// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.nio.file.Path
import java.util.concurrent.atomic.AtomicBoolean

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{BaseTable, CatalogUtil, HasTableOperations, Table, TableMetadata, TableOperations}
import org.apache.iceberg.catalog.{Catalog, TableIdentifier}
import org.apache.iceberg.data.{IcebergGenerics, Record}
import org.apache.iceberg.exceptions.{CommitFailedException, CommitStateUnknownException}
import org.apache.spark.sql.SparkSession

import stoplog.laws.{CommitFault, FaultyCommits, TableUnderTest}

/** A table of a catalog. The reader is Iceberg's own.
  *
  * @param inWarehouse returns the properties of the catalog for a directory
  */
private[iceberg] final class TableFixture(spark: SparkSession, inWarehouse: Path => Map[String, String])
    extends TableUnderTest(spark) {
  private val warehouse     = root.resolve("warehouse")
  val name: TableIdentifier = TableIdentifier.of("db", "events")

  lazy val catalogProperties: Map[String, String] = inWarehouse(warehouse)

  lazy val catalog: Catalog =
    CatalogUtil.buildIcebergCatalog("iceberg", catalogProperties.asJava, new Configuration)

  def table: Table = catalog.loadTable(name)

  def warehousePath: String = warehouse.toString

  def settings(more: (String, String)*): IcebergSettings = {
    val all = Map("table" -> name.toString, "create" -> "ifMissing") ++
      catalogProperties.map { case (key, value) => s"catalog.$key" -> value } ++ more
    IcebergSettings.of(all.filter(_._2.nonEmpty).asJava)
  }

  override def target(more: (String, String)*): IcebergTarget = new IcebergTarget(settings(more: _*))

  override def faultyTarget(fault: CommitFault): IcebergTarget = {
    val commits = new FaultyCommits(
      fault,
      new CommitStateUnknownException(new IllegalStateException("no answer")),
      new CommitFailedException("conflict")
    )
    targetOf(new FaultyOperations(_, commits))
  }

  /** Creates a target that refreshes the table between its reading and its commit. The first refresh runs the
    * work of another writer before.
    */
  def racingTarget(work: () => Unit): IcebergTarget = {
    val once = new AtomicBoolean
    targetOf(table =>
      new ForwardingOperations(table) {
        override def refresh(): TableMetadata = {
          if (!once.getAndSet(true)) work()
          super.refresh()
        }
        override def commit(base: TableMetadata, metadata: TableMetadata): Unit = table.commit(base, metadata)
      }
    )
  }

  private def targetOf(operations: TableOperations => TableOperations): IcebergTarget = new IcebergTarget(
    settings(),
    opened => {
      val catalog = CatalogUtil.buildIcebergCatalog("iceberg", opened.properties.asJava, new Configuration)
      new CatalogOf(catalog, operations)
    }
  )

  override def commits: Int = table.snapshots.asScala.size

  override def drop(): Unit = assert(catalog.dropTable(name, false))

  override def removeByOther(path: String): Unit = {
    val tasks = Using.resource(table.newScan().planFiles())(_.asScala.toVector)
    table.newDelete().deleteFile(tasks.map(_.file).find(_.location.endsWith(path)).get).commit()
  }

  override def restore(): Unit = table.manageSnapshots().rollbackTo(table.currentSnapshot.parentId).commit()

  override def properties: Map[String, String] = table.properties.asScala.toMap

  /** The rows of the table as Iceberg's reader returns them. */
  def rows(columns: String*): Vector[Seq[Any]] =
    Using.resource(IcebergGenerics.read(table).build()) { found =>
      found.asScala.map((row: Record) => columns.map(row.getField)).toVector
    }

  override def files: Set[String] =
    Using.resource(table.newScan().planFiles()) { tasks =>
      tasks.asScala
        .map(task => sink.relativize(Path.of(java.net.URI.create(task.file.location))))
        .map(_.toString)
        .toSet
    }

  override def ids: Vector[Long] = rows("id").map(_.head.asInstanceOf[Long]).sorted
}

private[iceberg] object TableFixture {
  def hadoop(spark: SparkSession): TableFixture =
    new TableFixture(spark, warehouse => Map("type" -> "hadoop", "warehouse" -> warehouse.toUri.toString))

  def jdbc(spark: SparkSession): TableFixture = new TableFixture(
    spark,
    warehouse =>
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

private final class FaultyOperations(table: TableOperations, commits: FaultyCommits)
    extends ForwardingOperations(table) {

  override def commit(base: TableMetadata, metadata: TableMetadata): Unit =
    commits(table.commit(base, metadata))
}
