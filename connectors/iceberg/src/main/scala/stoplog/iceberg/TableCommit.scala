// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{
  BaseTable, DataFile, DataFiles, FileScanTask, HasTableOperations, MetricsConfig, MetricsModes,
  SnapshotUpdate, SortOrder, Table, TableProperties, Transaction
}

import stoplog.announce.table.{
  AbsentFiles, AddedFile, DeletedRows, FileChanges, FileGroup, KnownLog, ReadFiles
}
import stoplog.announce.table.RemovedFile.Expected

/** One commit of changes with the position.
  *
  * @param path of the sink
  */
private[iceberg] final class TableCommit(
    table: Table,
    path: SinkPath,
    settings: IcebergSettings,
    configuration: Configuration
) {
  import TableCommit._

  /** A transaction refreshes the table. Changes of other writers since this snapshot are conflicts. */
  private val scanned = Option(table.currentSnapshot).map(_.snapshotId)

  /** Commits. Makes no snapshot if the table has all changes already.
    *
    * Throws [[PositionChanged]] if the stored position is no longer the position of `from`, and
    * [[stoplog.announce.table.Refusal]].
    *
    * @param listedMillis the time of the newest snapshot announcement
    */
  def commit(
      changes: FileChanges,
      from: KnownLog,
      position: StoredPosition,
      listedMillis: Option[Long]
  ): Unit = {
    val stored = position.ofPath(AbsentFact, table.properties.asScala)
    val known  = new AbsentFiles(position.propertyOf(AbsentFact), stored)
    val groups = FileGroup.of(changes, tasksOf(changes), known.paths, Deleted)
    val read   = ReadFiles.of(path.qualified, position.id.log.name, groups.flatMap(_.added), configuration) {
      name => FileFooter.read(path.file(name), configuration)
    }
    val footers = read.found
    val absent  = known.changed(changes, read.absent)
    val listed  = listedMillis.map(position.propertyOf(Listed) -> _.toString).toMap
    val isNew   = listed.exists { case (name, millis) => table.properties.get(name) != millis }
    if (groups.exists(!_.isEmpty) || absent.nonEmpty || isNew) {
      val operations = new PositionedOperations(
        table.asInstanceOf[HasTableOperations].operations,
        from.position,
        position,
        absent ++ listed,
        new ReadProperties(
          name => facts(changes, absent).exists(position.isOfPath(_, name)),
          table.properties.asScala
        )
      )
      val transaction = new BaseTable(operations, table.name).newTransaction()
      TableColumns.prepare(transaction, footers, settings.newColumns)
      val files = groups.map { group =>
        group -> group.added.flatMap(file =>
          footers.get(file.file.path).map(dataFile(transaction.table, file, _))
        )
      }
      files.foreach { case (group, added) => apply(transaction, group, added, position) }
      if (files.forall { case (group, added) => added.isEmpty && group.removed.isEmpty })
        finish(transaction.newFastAppend(), position) // without files: carries the properties alone
      transaction.commitTransaction()
    } else commitPosition(from, position)
  }

  /** The facts of all logs on which a commit depends. Another log may add a listed file at the same moment.
    */
  private def facts(changes: FileChanges, absent: Map[String, String]): Vector[String] =
    Vector(Listed) ++ Option.when(absent.nonEmpty)(AbsentFact) ++
      Option.when(mayBeListed(changes))(StoredPosition.Fact)

  /** Whether the table may have one of the files from a listing. */
  private def mayBeListed(changes: FileChanges): Boolean = changes.files.exists(_.ifMissing) ||
    (changes.removed ++ changes.replacements.flatMap(_.removed)).exists(_.expected != Expected.InTable)

  /** A snapshot without files would help no reader. */
  private def commitPosition(from: KnownLog, position: StoredPosition): Unit = {
    val operations = table.asInstanceOf[HasTableOperations].operations
    new BaseTable(new PositionedOperations(operations, from.position, position, Map.empty), table.name)
      .updateProperties()
      .set(position.key, position.value)
      .commit()
  }

  /** The files of the table that the changes concern. */
  private def tasksOf(changes: FileChanges): Map[String, FileScanTask] = {
    val wanted = changes.possiblyPresent
    scanned.filter(_ => wanted.nonEmpty).fold(Map.empty[String, FileScanTask]) { snapshot =>
      Using.resource(table.newScan().useSnapshot(snapshot).planFiles()) { tasks =>
        tasks.asScala
          .flatMap(task => path.relative(task.file.location).filter(wanted).map(_ -> task))
          .toMap
      }
    }
  }

  private def dataFile(table: Table, added: AddedFile, footer: FileFooter): DataFile = {
    val name    = added.file.path
    val mapping = TableColumns.mapping(table)
    val columns = footer.schema(mapping)
    val metrics = footer.metrics(MetricsConfig.forTable(table), mapping)
    val whole   =
      if (needsWhole(table)) footer.metrics(wholeMetrics(table), mapping) else metrics
    TableColumns.refuseOther(table, added, columns, whole)
    val file = DataFiles
      .builder(table.spec)
      .withPath(path.address(name))
      .withFormat(footer.format)
      .withFileSizeInBytes(added.file.bytes)
      .withSplitOffsets(footer.splitOffsets)
      .withMetrics(metrics)
    val partition =
      new PartitionValues(table.spec, settings.derivedKeys).of(added.bucket, name, columns, whole)
    if (table.spec.isPartitioned) file.withPartition(partition).build() else file.build()
  }

  private def apply(
      transaction: Transaction,
      group: FileGroup[FileScanTask],
      added: Vector[DataFile],
      position: StoredPosition
  ): Unit =
    if (added.nonEmpty || group.removed.nonEmpty) group.kind match {
      case _ if group.removed.isEmpty =>
        val append = transaction.newAppend()
        added.foreach(append.appendFile)
        finish(append, position)
      case FileGroup.Kind.Rewrite =>
        val rewrite = transaction.newRewrite()
        group.removed.foreach(task => rewrite.deleteFile(task.file))
        added.foreach(rewrite.addFile)
        scanned.foreach(rewrite.validateFromSnapshot(_))
        finish(rewrite, position)
      case _ =>
        val overwrite = transaction.newOverwrite()
        group.removed.foreach(task => overwrite.deleteFile(task.file))
        added.foreach(overwrite.addFile)
        // Also fails if another writer has rewritten a removed file since the scan.
        overwrite.validateNoConflictingDeletes()
        scanned.foreach(overwrite.validateFromSnapshot(_))
        finish(overwrite, position)
    }

  private def finish[A <: SnapshotUpdate[A]](update: A, position: StoredPosition): Unit = {
    position.summary.foreach { case (key, value) => update.set(key, value) }
    update.commit()
  }
}

private[iceberg] object TableCommit {

  /** The fact that a table knows about a log: the time of the newest snapshot announcement. */
  val Listed: String = "listed"

  /** The fact that a table knows about a log: its absent files. */
  private val AbsentFact = "absent"

  private val Deleted = DeletedRows[FileScanTask](
    !_.deletes.isEmpty,
    _.file.location,
    compactor = "rewrite_data_files of Iceberg"
  )

  private def needsWhole(table: Table) =
    table.spec.isPartitioned || table.schema.columns.asScala.exists(_.isRequired)

  /** For the partition and the nulls of a file: bounds that are cut may be in another partition, and a table
    * may have no statistics of some columns.
    */
  private def wholeMetrics(table: Table): MetricsConfig = MetricsConfig.from(
    Map(TableProperties.DEFAULT_WRITE_METRICS_MODE -> MetricsModes.Full.get.toString).asJava,
    table.schema,
    SortOrder.unsorted
  )
}
