// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import java.io.FileNotFoundException

import scala.collection.mutable
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.iceberg.{
  BaseTable, DataFile, DataFiles, FileScanTask, HasTableOperations, MetricsConfig, MetricsModes,
  SnapshotUpdate, SortOrder, Table, TableProperties, Transaction
}

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

  /** Commits. Makes no snapshot if the table has all changes already.
    *
    * Throws [[PositionChanged]] if the stored position is no longer the position of `from`, and [[Refusal]].
    *
    * @param listedMillis the time of the newest snapshot announcement
    */
  def commit(
      changes: FileChanges,
      from: KnownLog,
      position: StoredPosition,
      listedMillis: Option[Long]
  ): Unit = {
    val absent  = Absent.of(table, position)
    val groups  = groupsOf(changes, tasksOf(changes), absent)
    val footers = footersOf(groups.flatMap(_.added))
    val gone    = groups.flatMap(_.added).map(_.file.path).filterNot(footers.contains).toSet
    val left    = (absent -- changes.former) ++ gone
    val listed  = listedMillis.map(position.propertyOf(Listed) -> _.toString).toMap
    val isNew   = listed.exists { case (name, millis) => table.properties.get(name) != millis }
    if (groups.exists(!_.isEmpty) || left != absent || isNew) {
      val properties  = Absent.property(position, left, absent) ++ listed
      val operations  = table.asInstanceOf[HasTableOperations].operations
      val transaction =
        new BaseTable(new PositionedOperations(operations, from.position, position, properties), table.name)
          .newTransaction()
      TableColumns.prepare(
        transaction,
        footers.toVector.map { case (name, footer) => name -> footer.schema },
        settings.newColumns
      )
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
    val paths = changes.former ++ changes.files.filter(_.ifMissing).map(_.file.path)
    if (paths.isEmpty) Map.empty
    else {
      val wanted = paths.map(relative => path.address(relative) -> relative).toMap
      Using.resource(table.newScan().planFiles()) { tasks =>
        tasks.asScala.flatMap(task => wanted.get(task.file.location).map(_ -> task)).toMap
      }
    }
  }

  private def groupsOf(
      changes: FileChanges,
      tasks: Map[String, FileScanTask],
      absent: Set[String]
  ): Vector[Group] = {
    def isKnown(path: String) = tasks.contains(path) || absent(path)

    def missing(files: Vector[AddedFile]) =
      files.filterNot(file => file.ifMissing && tasks.contains(file.file.path))

    def present(files: Vector[RemovedFile]) = files.flatMap(file => tasks.get(file.path)).map(_.file)

    // If the table has no former file of a compaction, the table never had the rows, or another writer has
    // rewritten them into other files.
    val replacements = changes.replacements.filter(each =>
      !each.isCompaction || each.removed.exists(file => isKnown(file.path))
    )
    val (compactions, overwrites) =
      replacements.partition(each =>
        each.isCompaction && each.removed.forall(file => tasks.contains(file.path))
      )
    refuseUnknown(changes.removed ++ replacements.flatMap(_.removed), isKnown)
    replacements
      .filter(_.isCompaction)
      .flatMap(_.removed)
      .flatMap(file => tasks.get(file.path))
      .foreach(refuseDeletes)
    Vector(
      Group(Kind.Append, missing(changes.added), Vector.empty),
      Group(Kind.Rewrite, missing(compactions.flatMap(_.added)), present(compactions.flatMap(_.removed))),
      Group(
        Kind.Overwrite,
        missing(overwrites.flatMap(_.added)),
        present(changes.removed ++ overwrites.flatMap(_.removed))
      )
    )
  }

  private def refuseUnknown(removed: Vector[RemovedFile], isKnown: String => Boolean): Unit = {
    val unknown = removed.filterNot(file => file.ifPresent || isKnown(file.path))
    if (unknown.nonEmpty)
      throw new Refusal(
        s"${unknown.size} of ${removed.size} removed files are not in the table, such as ${unknown.head.path}: the target was " +
          "attached later, or another writer has rewritten the files. Attach a target with start = snapshot, or set " +
          "onRefused = skip and delete the rows in the table"
      )
  }

  private def refuseDeletes(task: FileScanTask): Unit =
    if (!task.deletes.isEmpty)
      throw new Refusal(
        s"a compaction has replaced ${task.file.location}, and another writer has deleted rows of this file, which the " +
          "compacted file contains. Switch compaction off, and run rewrite_data_files of Iceberg"
      )

  /** The footers by path, without files that no longer exist: a later announcement removes or replaces
    * them.
    */
  private def footersOf(files: Vector[AddedFile]): mutable.LinkedHashMap[String, FileFooter] =
    files
      .flatMap { added =>
        try Some(added.file.path -> FileFooter.read(path.file(added.file.path), configuration))
        catch { case _: FileNotFoundException => None }
      }
      .to(mutable.LinkedHashMap)

  private def dataFile(table: Table, added: AddedFile, footer: FileFooter): DataFile = {
    val name    = added.file.path
    val mapping = TableColumns.mapping(table)
    val columns = footer.schema(mapping)
    val metrics = footer.metrics(MetricsConfig.forTable(table), mapping)
    TableColumns.refuseOther(table.schema, name, columns, metrics)
    val file = DataFiles
      .builder(table.spec)
      .withPath(path.address(name))
      .withFormat(footer.format)
      .withFileSizeInBytes(added.file.bytes)
      .withSplitOffsets(footer.splitOffsets)
      .withMetrics(metrics)
    val whole     = if (table.spec.isPartitioned) footer.metrics(wholeBounds(table), mapping) else metrics
    val partition =
      new PartitionValues(table.spec, settings.derivedKeys).of(added.bucket, name, columns, whole)
    if (table.spec.isPartitioned) file.withPartition(partition).build() else file.build()
  }

  private def apply(
      transaction: Transaction,
      group: Group,
      added: Vector[DataFile],
      position: StoredPosition
  ): Unit =
    if (added.nonEmpty || group.removed.nonEmpty) group.kind match {
      case _ if group.removed.isEmpty =>
        val append = transaction.newAppend()
        added.foreach(append.appendFile)
        finish(append, position)
      case Kind.Rewrite =>
        val rewrite = transaction.newRewrite()
        group.removed.foreach(rewrite.deleteFile)
        added.foreach(rewrite.addFile)
        finish(rewrite.validateFromSnapshot(table.currentSnapshot.snapshotId), position)
      case _ =>
        val overwrite = transaction.newOverwrite()
        group.removed.foreach(overwrite.deleteFile)
        added.foreach(overwrite.addFile)
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

  /** For the partition of a file: bounds that are cut may be in another partition. */
  private def wholeBounds(table: Table): MetricsConfig = MetricsConfig.from(
    Map(TableProperties.DEFAULT_WRITE_METRICS_MODE -> MetricsModes.Full.get.toString).asJava,
    table.schema,
    SortOrder.unsorted
  )

  private sealed trait Kind
  private object Kind {
    case object Append    extends Kind
    case object Rewrite   extends Kind
    case object Overwrite extends Kind
  }

  private final case class Group(kind: Kind, added: Vector[AddedFile], removed: Vector[DataFile]) {
    def isEmpty: Boolean = added.isEmpty && removed.isEmpty
  }

  /** The announced files that did not exist when they were announced, because a later record has removed or
    * replaced them. The announcement of this record follows.
    */
  private object Absent {

    def of(table: Table, position: StoredPosition): Set[String] =
      Option(table.properties.get(name(position)))
        .fold(Set.empty[String])(_.split("\n").filter(_.nonEmpty).toSet)

    /** The property to set, if it changes. */
    def property(position: StoredPosition, files: Set[String], before: Set[String]): Map[String, String] =
      if (files == before) Map.empty else Map(name(position) -> files.toVector.sorted.mkString("\n"))

    private def name(position: StoredPosition) = position.propertyOf("absent")
  }
}
