// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import java.util.{Collections, Optional}

import scala.jdk.CollectionConverters._

import io.delta.kernel.data.Row
import io.delta.kernel.internal.SnapshotImpl
import io.delta.kernel.internal.actions.{AddFile, Metadata, SingleAction}
import io.delta.kernel.internal.fs.{Path => KernelPath}
import io.delta.kernel.types.{StructField, StructType}
import io.delta.kernel.utils.DataFileStatus
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.announce.table.{AddedFile, DeletedRows, FileChanges, FileGroup, ReadFiles, Refusal}

/** One commit of changes with the position. */
private[delta] final class TableCommit(
    table: DeltaTable,
    settings: DeltaSettings,
    configuration: Configuration
) {
  import TableCommit._

  /** Commits to the version after the snapshot. Throws as [[DeltaTable.commit]], and [[Refusal]]. */
  def update(snapshot: SnapshotImpl, changes: FileChanges, facts: LogFacts): Unit = {
    val metadata = snapshot.getMetadata
    val features = new WriterFeatures(snapshot)
    features.refuseOthers()
    val present = table.files(snapshot, changes.possiblyPresent)
    val absent  = facts.absentIn(metadata.getConfiguration.asScala.toMap)
    val groups  = FileGroup.of(changes, present, absent.paths, Deleted)
    if (groups.exists(group => group.kind == FileGroup.Kind.Overwrite && group.removed.nonEmpty))
      features.refuseRemoval()
    val files   = read(groups, facts)
    val columns = merged(metadata.getSchema, files.found.values)
    features.refuseColumns(columns)
    val properties = absent.changed(changes, files.absent) ++ facts.listedProperty
    val changed    = metadataOf(metadata, columns, properties)
    val rows       = actions(groups, files.found, new Layout(changed))
    val header     = Option.when(changed != metadata)(SingleAction.createMetadataSingleAction(changed.toRow))
    table.commit(snapshot, facts.position +: (header.toVector ++ rows))
  }

  /** Creates the table. Throws as [[DeltaTable.create]], and [[Refusal]].
    *
    * @param partition the partition columns
    */
  def create(partition: Vector[StructField], changes: FileChanges, facts: LogFacts): Unit = {
    val groups  = FileGroup.of(changes, Map.empty[String, AddFile], Set.empty, Deleted)
    val files   = read(groups, facts)
    val first   = files.first
    val own     = partition.filter(column => first.columns.indexOf(column.getName) < 0)
    val columns = merged(
      new StructType((first.columns.fields.asScala ++ own).asJava),
      files.found.values
    )
    val properties = facts.absentIn(Map.empty).changed(changes, files.absent) ++ facts.listedProperty
    val names      = partition.map(_.getName)
    table.create(
      columns,
      names,
      properties,
      facts.position +: actions(groups, files.found, new Layout(columns, names, Map.empty))
    )
  }

  private def merged(known: StructType, footers: Iterable[ParquetFooter]): StructType =
    footers.foldLeft(known) { (columns, footer) =>
      new TableColumns(columns, footer.name).merged(footer.columns, settings.newColumns)
    }

  /** An unchanged value makes no action. */
  private def metadataOf(known: Metadata, columns: StructType, properties: Map[String, String]): Metadata = {
    val (unset, set) = properties.partition(_._2.isEmpty)
    val isChanged    = set.exists { case (name, value) => known.getConfiguration.get(name) != value }
    val configured   = if (isChanged) known.withMergedConfiguration(set.asJava) else known
    val gone         = unset.keySet.intersect(known.getConfiguration.keySet.asScala)
    val reduced      = if (gone.isEmpty) configured else configured.withConfigurationKeysUnset(gone.asJava)
    if (columns == known.getSchema) reduced else reduced.withNewSchema(columns)
  }

  private def read(groups: Vector[FileGroup[AddFile]], facts: LogFacts): ReadFiles[ParquetFooter] = {
    val added = groups.flatMap(_.added)
    refuseSchemes(added)
    ReadFiles.of(new Path(table.root), facts.id.log.name, added, configuration) { path =>
      ParquetFooter.read(new Path(s"${table.root}/$path"), configuration)
    }
  }

  private def actions(
      groups: Vector[FileGroup[AddFile]],
      footers: Map[String, ParquetFooter],
      layout: Layout
  ): Vector[Row] = groups.flatMap { group =>
    val isChange = group.kind != FileGroup.Kind.Rewrite
    val removed  = group.removed.map { file =>
      SingleAction.createRemoveFileSingleAction(file.toRemoveFileRow(isChange, Optional.empty()))
    }
    removed ++ group.added.flatMap { added =>
      footers.get(added.file.path).map(footer => addition(added, footer, layout, isChange))
    }
  }

  private def addition(added: AddedFile, footer: ParquetFooter, layout: Layout, isChange: Boolean): Row = {
    val names = layout.partitionColumns
    new TableColumns(layout.columns, footer.name).refuseNulls(footer, names.toSet)
    val values = new PartitionValues(names.map(layout.columns.get), settings.derivedKeys)
      .of(added.bucket, footer.columns)
    val file = new DataFileStatus(
      s"${table.root}/${added.file.path}",
      footer.file.getLen,
      footer.file.getModificationTime,
      Optional.of(layout.statistics(footer))
    )
    val action = AddFile.convertDataFileStatus(
      layout.columns,
      new KernelPath(table.root).toUri,
      file,
      values.asJava,
      isChange,
      Collections.emptyMap(),
      Optional.empty(),
      Optional.empty(),
      Optional.empty()
    )
    SingleAction.createAddFileSingleAction(action.toRow)
  }
}

private object TableCommit {
  private val Deleted =
    DeletedRows[AddFile](_.getDeletionVector.isPresent, _.getPath, compactor = "OPTIMIZE of Delta Lake")

  /** Throws [[Refusal]] with the files whose first name contains a colon. The log has relative URIs. Readers
    * would take the text before the colon for a scheme, and could not read the table. A URI with `./` or with
    * an escaped colon is no remedy: other writers compare addresses as text, and may delete the file.
    */
  private def refuseSchemes(added: Vector[AddedFile]): Unit = {
    val refused = added.map(_.file.path).filter(_.takeWhile(_ != '/').contains(':'))
    refused.headOption.foreach { path =>
      val more = if (refused.size == 1) "" else s" and ${refused.size - 1} other announced files"
      throw new Refusal(
        s"the path $path$more has a colon in its first name, which readers of Delta take for the end of a scheme. Use " +
          "names without a colon, such as another bucketFormat, or partitionBy, which escapes colons",
        refused.toSet
      )
    }
  }
}
