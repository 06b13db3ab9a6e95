// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql.PreparedStatement
import java.util.HexFormat

import stoplog.jdbc.rows.{Column, JdbcRow}

/** A PostgreSQL statement for a whole batch, with an array for each column. `VALUES` would need a parameter
  * for each value, which the server would parse and plan individually. The driver sends arrays of numbers and
  * of strings in binary form, but only for arrays of exactly these classes; the server parses all other
  * arrays from text.
  *
  * @param types the types of the columns, by the server's names
  */
private[jdbc] final class Columnwise private (val sql: String, types: Array[String]) {

  /** Sets the arrays. Returns false if a value neither has its column's class nor an unambiguous text form.
    *
    * @param first the number of the first array among the parameters
    */
  def bind(statement: PreparedStatement, rows: IndexedSeq[JdbcRow], first: Int = 1): Boolean = {
    val arrays = types.indices.flatMap(i => plain(rows, i).orElse(texts(rows, i)))
    arrays.length == types.length && {
      val connection = statement.getConnection
      for (i <- arrays.indices) statement.setArray(first + i, connection.createArrayOf(types(i), arrays(i)))
      true
    }
  }

  private def plain(rows: IndexedSeq[JdbcRow], column: Int): Option[Array[AnyRef]] =
    Columnwise.boxes.get(types(column)).collect {
      case box if rows.forall(row => row.values(column) == null || box.isInstance(row.values(column))) =>
        val made = java.lang.reflect.Array.newInstance(box, rows.length).asInstanceOf[Array[AnyRef]]
        rows.indices.foreach(i => made(i) = rows(i).values(column).asInstanceOf[AnyRef])
        made
    }

  private def texts(rows: IndexedSeq[JdbcRow], column: Int): Option[Array[AnyRef]] = {
    val made = new Array[String](rows.length)
    val fits = rows.indices.forall { i =>
      val value = rows(i).values(column)
      value == null || {
        made(i) = text(value)
        made(i) != null
      }
    }
    Option.when(fits)(made.asInstanceOf[Array[AnyRef]])
  }

  private def text(value: Any): String = value match {
    case text: String                 => text
    case bytes: Array[Byte]           => "\\x" + HexFormat.of().formatHex(bytes)
    case number: java.math.BigDecimal => number.toPlainString
    case other                        => other.toString
  }

}

private[jdbc] object Columnwise {

  /** Returns `None` if the text form of a column's type is not supported. */
  def upsert(table: String, columns: Seq[Column], key: UpsertKey): Option[Columnwise] =
    of(columns) { (names, arrays) =>
      s"INSERT INTO ${Upserts.aliased(table, key)} (${names.mkString(", ")}) SELECT * FROM unnest($arrays) " +
        s"${Upserts.conflict(names, key)}"
    }

  /** Returns an insert of numbered rows. Its first parameters are a text for all rows and the number of the
    * first row. `None` if the text form of a column's type is not supported.
    *
    * @param text   the column of the text
    * @param number the column of the numbers
    */
  def numbered(table: String, text: String, number: String, columns: Seq[Column]): Option[Columnwise] =
    of(columns) { (names, arrays) =>
      val fields = names.indices.map(i => s"c$i").mkString(", ")
      s"INSERT INTO $table ($text, $number, ${names.mkString(", ")}) SELECT ?::text, ?::int8 + n - 1, $fields " +
        s"FROM unnest($arrays) WITH ORDINALITY AS u ($fields, n)"
    }

  private def of(columns: Seq[Column])(sql: (Seq[String], String) => String): Option[Columnwise] = {
    val types = columns.map(column => serials.getOrElse(column.typeName, column.typeName))
    Option.when(types.nonEmpty && types.forall(known)) {
      new Columnwise(
        sql(columns.map(_.quoted), types.map(name => s"?::$name[]").mkString(", ")),
        types.toArray
      )
    }
  }

  // The driver reports columns with a sequence under these names.
  private val serials = Map("smallserial" -> "int2", "serial" -> "int4", "bigserial" -> "int8")

  private val known = Set("int2", "int4", "int8", "float4", "float8", "numeric", "bool", "text", "varchar") ++
    Set("bpchar", "bytea", "date", "timestamp", "timestamptz", "uuid", "json", "jsonb")

  private val boxes: Map[String, Class[_]] = Map(
    "int2"   -> classOf[java.lang.Short],
    "int4"   -> classOf[java.lang.Integer],
    "int8"   -> classOf[java.lang.Long],
    "float4" -> classOf[java.lang.Float],
    "float8" -> classOf[java.lang.Double],
    "bool"   -> classOf[java.lang.Boolean]
  )

}
