// SPDX-License-Identifier: Apache-2.0
package stoplog.delta

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import io.delta.kernel.expressions.Column
import io.delta.kernel.types._

import stoplog.announce.table.{NewColumns, Refusal}

/** The columns of the table with the columns of a file. Readers find columns by their names.
  *
  * @param file the name of the file, for messages
  */
private[delta] final class TableColumns(table: StructType, file: String) {
  import TableColumns._

  /** Returns the columns of the table, with new columns at the end.
    *
    * Throws [[Refusal]] if the table cannot read the columns of the file, or must not get new columns.
    */
  def merged(columns: StructType, newColumns: NewColumns): StructType = {
    val added  = mutable.Buffer.empty[String]
    val result = structOf(table, columns, Vector.empty, added)
    newColumns.permit(added.toSeq, file)
    if (added.isEmpty) table
    else {
      added.find(_.exists(Forbidden.contains(_))).foreach { name =>
        throw new Refusal(
          s"Delta does not permit the column name '$name' of the file $file. Rename the column"
        )
      }
      result
    }
  }

  /** Throws [[Refusal]] if the file may have nulls in required columns of the table. */
  def refuseNulls(footer: ParquetFooter, partitionColumns: Set[String]): Unit = {
    val required = table.fields.asScala.filter(field => !field.isNullable && !partitionColumns(field.getName))
    val nested   = table.fields.asScala.filter(field => hasRequired(field.getDataType))
    val nulls    = nested.map(_.getName) ++ required.map(_.getName).filterNot { name =>
      footer.statistics(new Column(name)).exists(_.nulls == 0)
    }
    if (nulls.nonEmpty)
      throw new Refusal(
        s"the file $file may have nulls in the required columns ${nulls.mkString(", ")} of the table. Filter the rows, or " +
          "make the columns optional"
      )
  }

  private def structOf(
      known: StructType,
      columns: StructType,
      above: Vector[String],
      added: mutable.Buffer[String]
  ): StructType = {
    val found  = columns.fields.asScala.map(field => field.getName -> field).toMap
    val fields = known.fields.asScala.toVector.map { field =>
      found.get(field.getName).fold(field) { own =>
        field.withDataType(typeOf(field.getDataType, own.getDataType, above :+ field.getName, added))
      }
    }
    val names = known.fieldNames.asScala.toSet
    val rest  = columns.fields.asScala.toVector.filterNot(field => names(field.getName))
    rest.foreach(field => refuseOtherCase(field.getName, names ++ found.keySet - field.getName))
    added ++= rest.map(field => (above :+ field.getName).mkString("."))
    new StructType((fields ++ rest).asJava)
  }

  private def typeOf(
      known: DataType,
      own: DataType,
      path: Vector[String],
      added: mutable.Buffer[String]
  ): DataType = (known, own) match {
    case (left: StructType, right: StructType) => structOf(left, right, path, added)
    case (left: ArrayType, right: ArrayType)   =>
      new ArrayType(
        typeOf(left.getElementType, right.getElementType, path :+ "element", added),
        left.containsNull
      )
    case (left: MapType, right: MapType) =>
      new MapType(
        typeOf(left.getKeyType, right.getKeyType, path :+ "key", added),
        typeOf(left.getValueType, right.getValueType, path :+ "value", added),
        left.isValueContainsNull
      )
    case _ if known == own => known
    case _                 =>
      throw new Refusal(
        s"the column ${path.mkString(".")} of the file $file has the type $own, and the table has the type $known. Cast the " +
          "column, or change the table"
      )
  }

  private def refuseOtherCase(name: String, known: Set[String]): Unit =
    known.find(_.equalsIgnoreCase(name)).foreach { other =>
      throw new Refusal(
        s"the file $file has the column $name, and the other column $other differs by case only: Delta does not distinguish " +
          "both. Rename the column"
      )
    }
}

private object TableColumns {

  /** Whether a part of the column is required. A footer does not record which rows lack the part. */
  private def hasRequired(kind: DataType): Boolean = kind match {
    case of: StructType =>
      of.fields.asScala.exists(field => !field.isNullable || hasRequired(field.getDataType))
    case of: ArrayType => !of.containsNull || hasRequired(of.getElementType)
    case of: MapType => !of.isValueContainsNull || hasRequired(of.getKeyType) || hasRequired(of.getValueType)
    case _           => false
  }

  private val Forbidden = " ,;{}()\n\t="
}
