// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{Metrics, Schema, Table, TableProperties, Transaction}
import org.apache.iceberg.mapping.{MappingUtil, NameMapping, NameMappingParser}
import org.apache.iceberg.types.{CheckCompatibility, TypeUtil}

import stoplog.announce.table.{NewColumns, Refusal}

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
      if (missing.nonEmpty) transaction.updateSchema().unionByNameWith(columns).commit()
      if (!footer.hasIds) refuseUnmapped(transaction.table, name, columns)
    }
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
    val names    = TypeUtil.indexNameById(columns.asStruct).values.asScala.toVector.sorted
    val unmapped = names.filter(mapping.find(_) == null)
    if (unmapped.nonEmpty)
      throw new Refusal(
        s"the name mapping of the table lacks the columns ${unmapped.mkString(", ")} of the file $file, so readers would return " +
          s"nulls. Add the names to the table property ${TableProperties.DEFAULT_NAME_MAPPING}"
      )
  }

  /** Throws [[Refusal]] if the table cannot read the columns of the file.
    *
    * @param columns with the ids of the table
    */
  def refuseOther(table: Schema, name: String, columns: Schema, metrics: Metrics): Unit = {
    val partitionsOnly =
      table.columns.asScala.filter(column => columns.findField(column.fieldId) == null).map(_.fieldId)
    val inFile = TypeUtil.selectNot(table, partitionsOnly.map(Integer.valueOf).toSet.asJava)
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

  private def missingFrom(table: Table, columns: Schema): Vector[String] = {
    val known   = TypeUtil.indexByName(table.schema.asStruct).keySet
    val mapping = this.mapping(table)
    TypeUtil
      .indexByName(columns.asStruct)
      .keySet
      .asScala
      .toVector
      .filterNot(name => known.contains(name) || mapping.find(name) != null)
  }
}
