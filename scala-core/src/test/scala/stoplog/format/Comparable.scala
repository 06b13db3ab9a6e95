// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.Row

/** Rows as text by which two of them can be told apart, arrays of bytes included. */
object Comparable {

  def text(value: Any): String = value match {
    case bytes: Array[Byte]              => bytes.mkString("bytes(", " ", ")")
    case row: Row                        => row.toSeq.map(text).mkString("{", ", ", "}")
    case map: scala.collection.Map[_, _] =>
      map.toSeq.map { case (key, of) => text(key) -> text(of) }.sorted.mkString("map(", ", ", ")")
    case list: scala.collection.Seq[_] => list.map(text).mkString("[", ", ", "]")
    case other                         => String.valueOf(other)
  }
}
