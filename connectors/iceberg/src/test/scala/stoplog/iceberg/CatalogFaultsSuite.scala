// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.iceberg.{DataFiles, FileMetadata}
import org.apache.iceberg.exceptions.CommitFailedException
import org.apache.spark.sql.SparkSession

import stoplog.LongRun
import stoplog.announce._
import stoplog.format.SparkSessionForTests
import stoplog.laws.{CommitFault, TableFaultLaws}

class HadoopCatalogFaultsSuite extends CatalogFaultsSuite(TableFixture.hadoop(_)) {

  test("a property that was set back to an earlier value does not deliver a file again") {
    val table  = filled()
    val target = table.target()
    val before = table.properties.find(_._1.startsWith("stoplog.position.")).get
    val file   = table.added(1, table.written(1 to 1))
    table.delivered(target, file)
    update(table, before)
    assert(table.position(table.target()) === Some(1L -> 0))
    for (each <- Seq(target, table.target()))
      table.delivered(each, file, table.added(2, table.written(2 to 2)))
    assert(table.ids === Seq(0L, 1L, 2L))
  }

  test("properties of former batch jobs are removed") {
    val table  = filled()
    val target = table.target()
    for (day <- Seq(1L, 20L, 40L)) {
      val job  = LogId(s"batch-$day", "6ba7b811-9dad-11d1-80b4-00c04fd430c8")
      val file = Change.Added("", Vector(table.written(day.toInt to day.toInt)))
      table.delivered(target, table.announced(0, file, log = job).copy(decidedAtMillis = day * 86400000L))
    }
    val jobs = table.properties.keys
      .filter(_.startsWith("stoplog.position.batch-"))
      .map(_.split('.')(2))
      .toSet
    assert(jobs === Set("batch-20", "batch-40"))
    assert(table.position(target) === Some(0L -> 0))
  }
}

class JdbcCatalogFaultsSuite extends CatalogFaultsSuite(TableFixture.jdbc(_)) with LongRun

abstract class CatalogFaultsSuite(create: SparkSession => TableFixture)
    extends TableFaultLaws[TableFixture]
    with SparkSessionForTests {

  test("an overwrite is refused if another writer rewrites a removed file at the same moment") {
    val table     = filled()
    val replacing = LogId("replace", "6ba7b812-9dad-11d1-80b4-00c04fd430c8")
    val former    = Using.resource(table.table.newScan().planFiles())(_.asScala.head.file)
    val rewritten = DataFiles
      .builder(table.table.spec)
      .copy(former)
      .withPath(table.sink.resolve(table.written(0 to 0).path).toString)
      .build()
    val racing = table.faultyTarget(
      CommitFault.Before(() => table.table.newRewrite().deleteFile(former).addFile(rewritten).commit())
    )
    val path        = former.location.drop(former.location.lastIndexOf('/') + 1)
    val change      = Change.Replaced("", Vector(table.written(7 to 7)), Vector(path))
    val overwritten = table.announced(0, change, log = replacing)
    assert(racing.deliver(Vector(overwritten)).isInstanceOf[Delivery.Retry])
    assert(table.ids === Seq(0L))
    assert(table.refused(racing, overwritten).contains("another writer has rewritten"))
  }

  test("a compaction is refused if another writer deletes rows of a replaced file after the reading") {
    val table  = filled()
    val former = Using.resource(table.table.newScan().planFiles())(_.asScala.head.file)
    val rows   = FileMetadata
      .deleteFileBuilder(table.table.spec)
      .ofPositionDeletes()
      .withPath(table.sink.resolve("deletes.parquet").toUri.toString)
      .withFileSizeInBytes(10)
      .withRecordCount(1)
      .withReferencedDataFile(former.location)
      .build()
    val racing    = table.racingTarget(() => table.table.newRowDelta().addDeletes(rows).commit())
    val path      = former.location.drop(former.location.lastIndexOf('/') + 1)
    val change    = Change.Replaced("", Vector(table.written(0 to 0)), Vector(path))
    val compacted = table.announced(1, change)
    assert(racing.deliver(Vector(compacted)).isInstanceOf[Delivery.Retry])
    assert(table.refused(racing, compacted).contains("another writer has deleted rows"))
    assert(table.files === Set(path))
  }

  override protected def newTable(): TableFixture = create(spark)

  override protected def assertConflict(e: Throwable): Unit = assert(e.isInstanceOf[CommitFailedException])

  override protected def otherWriter(table: TableFixture): () => Unit = {
    update(table, "commit.retry.num-retries" -> "100", "commit.retry.min-wait-ms" -> "1")
    () => others.foreach(name => update(table, name -> "x"))
  }

  override protected def assertOthers(table: TableFixture): Unit =
    assert(others.forall(table.properties.contains))

  protected def update(table: TableFixture, properties: (String, String)*): Unit = {
    val update = table.table.updateProperties()
    properties.foreach { case (name, value) => update.set(name, value) }
    update.commit()
  }

  private def others = (1 to 10).map(i => s"other-$i")
}
