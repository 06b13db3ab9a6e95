// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{Metrics, PartitionSpec, Schema, Table, TableProperties, Transaction}
import org.apache.iceberg.mapping.{MappingUtil, NameMapping, NameMappingParser}
import org.apache.iceberg.types.{CheckCompatibility, TypeUtil, Types}
import org.apache.spark.sql.catalyst.catalog.ExternalCatalogUtils

import stoplog.announce.table.{AddedFile, DirectoryKeys, NewColumns, Refusal}

/** The columns of the table for files without field ids: the files of Spark have names alone. */
private[iceberg] object TableColumns {

  /** Returns the mapping of the table, or the mapping that the table gets. */
  def mapping(table: Table): NameMapping =
    Option(table.properties.get(TableProperties.DEFAULT_NAME_MAPPING))
      .fold(MappingUtil.create(table.schema))(NameMappingParser.fromJson)

  /** Adds the mapping and new columns to the transaction.
    *
    * Throws [[Refusal]] if the table lacks columns and must not get new columns, or if readers would not find
    * a column.
    *
    * @param files the footers by the paths of the files
    */
  def prepare(transaction: Transaction, files: Map[String, FileFooter], newColumns: NewColumns): Unit = {
    val table = transaction.table
    if (!table.properties.containsKey(TableProperties.DEFAULT_NAME_MAPPING))
      transaction
        .updateProperties()
        .set(TableProperties.DEFAULT_NAME_MAPPING, NameMappingParser.toJson(MappingUtil.create(table.schema)))
        .commit()
    files.foreach { case (name, footer) =>
      val columns = footer.schema
      val missing = missingFrom(transaction.table, columns)
      newColumns.permit(missing, name)
      refuseOtherCase(
        TypeUtil.indexByName(transaction.table.schema.asStruct).keySet.asScala.toSet,
        missing,
        name
      )
      if (missing.nonEmpty) add(transaction, columns, missing)
      if (footer.hasIds) refuseOtherIds(transaction.table, name, footer)
      else refuseUnmapped(transaction.table, name, columns)
    }
  }

  /** Adds the missing columns alone. Iceberg's union of schemas would also add the former names of renamed
    * columns, and make required columns optional.
    */
  private def add(transaction: Transaction, columns: Schema, missing: Vector[String]): Unit = {
    val update = transaction.updateSchema()
    val parent = parents(columns)
    for (name <- missing if !parent.get(name).exists(missing.contains)) {
      val above = parent.get(name).map(path => knownName(transaction.table, path))
      val field = columns.findField(name)
      update.addColumn(above.orNull, field.name, field.`type`)
    }
    update.commit()
  }

  /** The name of the enclosing column, by the names of nested columns. */
  private def parents(columns: Schema): Map[String, String] =
    TypeUtil.indexParents(columns.asStruct).asScala.toMap.map { case (child, parent) =>
      columns.findColumnName(child) -> columns.findColumnName(parent)
    }

  /** The name in the table of a column of a file. */
  private def knownName(table: Table, path: String): String =
    idOf(table, path).fold(path)(id => Option(table.schema.findColumnName(id)).getOrElse(path))

  private def idOf(table: Table, path: String): Option[Int] =
    Option(table.schema.findField(path))
      .map(_.fieldId)
      .orElse(Option(mapping(table).find(path)).flatMap(found => Option(found.id)).map(_.intValue))

  /** Readers find columns by the ids of a file, whatever the names are. */
  private def refuseOtherIds(table: Table, file: String, footer: FileFooter): Unit = {
    val own    = footer.schema(mapping(table))
    val others =
      names(footer.schema).filter(name => Option(own.findField(name)).map(_.fieldId) != idOf(table, name))
    if (others.nonEmpty)
      throw new Refusal(
        s"the field ids of the columns ${others.mkString(", ")} in the file $file are not the ids of the table, so readers would " +
          "return nulls or other columns. Set spark.sql.parquet.fieldId.write.enabled to false: readers then use the names"
      )
  }

  /** Spark and other readers could not read a table with both names.
    *
    * @param missing the names that the table lacks
    */
  private def refuseOtherCase(known: Set[String], missing: Vector[String], file: String): Unit = {
    val all = known ++ missing
    for {
      name  <- missing
      other <- all.find(each => each != name && each.equalsIgnoreCase(name))
    }
      throw new Refusal(
        s"the file $file has the column $name, and the other column $other differs by case only: most readers do not " +
          "distinguish both. Rename the column"
      )
  }

  /** A table may have the mapping of another program, to which later columns were not added. */
  private def refuseUnmapped(table: Table, file: String, columns: Schema): Unit = {
    val mapping  = this.mapping(table)
    val unmapped = names(columns).filter(mapping.find(_) == null)
    if (unmapped.nonEmpty)
      throw new Refusal(
        s"the name mapping of the table lacks the columns ${unmapped.mkString(", ")} of the file $file, so readers would return " +
          s"nulls. Add the names to the table property ${TableProperties.DEFAULT_NAME_MAPPING}"
      )
  }

  /** Throws [[Refusal]] if the table cannot read the columns of the file.
    *
    * @param columns with the ids of the table
    * @param metrics with the counts of all columns
    */
  def refuseOther(of: Table, added: AddedFile, columns: Schema, metrics: Metrics): Unit = {
    val (table, name) = (of.schema, added.file.path)
    val absent        = table.columns.asScala.filter(column => columns.findField(column.fieldId) == null)
    refuseRequired(absent.filterNot(isOfDirectory(of.spec, added.bucket)).toVector, name)
    val inFile = TypeUtil.selectNot(table, absent.map(column => Integer.valueOf(column.fieldId)).toSet.asJava)
    val errors = CheckCompatibility.typeCompatibilityErrors(inFile, columns, false).asScala.toVector
    if (errors.nonEmpty)
      throw new Refusal(
        s"the columns of the file $name do not match the table: ${errors.map(_.trim).mkString("; ")}. Cast the columns, or " +
          "change the table"
      )
    val nulls = table.columns.asScala.filter { column =>
      column.isRequired && Option(metrics.nullValueCounts.get(column.fieldId)).exists(_ > 0)
    }
    if (nulls.nonEmpty)
      throw new Refusal(
        s"the file $name has nulls in the required columns ${nulls.map(_.name).mkString(", ")} of the table. Filter the rows, or " +
          "make the columns optional"
      )
  }

  private def refuseRequired(absent: Vector[Types.NestedField], file: String): Unit = {
    val required = absent.filter(column => column.isRequired && column.initialDefault == null)
    if (required.nonEmpty)
      throw new Refusal(
        s"the file $file lacks the required columns ${required.map(_.name).mkString(", ")} of the table. Add the columns to the " +
          "rows, or make the columns optional in the table"
      )
  }

  /** Whether the directory of a file has a value of the column. */
  private def isOfDirectory(spec: PartitionSpec, bucket: String): Types.NestedField => Boolean = {
    val keys = DirectoryKeys.of(bucket).filter(_._2 != ExternalCatalogUtils.DEFAULT_PARTITION_NAME).keySet
    val ids  = spec.fields.asScala.filter(_.transform.isIdentity).map(_.sourceId).toSet
    column => keys(column.name) && ids(column.fieldId)
  }

  private def missingFrom(table: Table, columns: Schema): Vector[String] = {
    val known   = TypeUtil.indexByName(table.schema.asStruct).keySet
    val mapping = this.mapping(table)
    names(columns).filterNot(name => known.contains(name) || mapping.find(name) != null)
  }

  /** The full names of all columns: enclosing columns first, in the order of the file. */
  private def names(columns: Schema): Vector[String] =
    TypeUtil.indexNameById(columns.asStruct).asScala.toVector.sortBy(_._1.intValue).map(_._2)
}
