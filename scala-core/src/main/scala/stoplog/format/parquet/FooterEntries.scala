// SPDX-License-Identifier: Apache-2.0
package stoplog.format.parquet

import scala.jdk.CollectionConverters._
import scala.util.Try

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport
import org.apache.spark.sql.types._

import stoplog.compact.Compactor

/** The entries of a footer that describe the rows, such as the coordinate system and the bounds of
  * GeoParquet. In a merged file, an entry of one file would stand for the rows of all.
  */
private[parquet] object FooterEntries {

  /** Returns a text that is equal for files whose entries say the same of their rows. */
  def describing(entries: Map[String, String]): String = {
    val ofSpark = entries.get(ParquetReadSupport.SPARK_METADATA_KEY).map(typesOf)
    val others  = entries.map {
      case (Pandas, value) => Pandas -> Try(ofAnyRows(value)).getOrElse(value)
      case other           => other
    }
    s"${ofSpark.mkString} ${Compactor.describing(others)}"
  }

  /** Whether a column may be null, and its comment, do not change its values. */
  private def typesOf(json: String): String = Try(DataType.fromJson(json)).fold(_ => json, textOf)

  private def textOf(of: DataType): String = of match {
    case struct: StructType    => struct.map(textOf).mkString("<", ",", ">")
    case array: ArrayType      => s"[${textOf(array.elementType)}]"
    case map: MapType          => s"{${textOf(map.keyType)}:${textOf(map.valueType)}}"
    case _: UserDefinedType[_] => of.json
    case _                     => of.catalogString
  }

  private def textOf(field: StructField): String = {
    val metadata = new MetadataBuilder().withMetadata(field.metadata).remove("comment").build()
    s"${field.name} ${textOf(field.dataType)} ${metadata.json}"
  }

  /** pandas records the numbers of the rows of a file as a range, which its readers ignore if the number of
    * rows is another, and the versions of its libraries.
    */
  private def ofAnyRows(json: String): String = mapper.readTree(json) match {
    case root: ObjectNode =>
      root.remove(Seq("creator", "pandas_version").asJava)
      root.path("index_columns").elements.asScala.foreach {
        case range: ObjectNode => range.remove(Seq("start", "stop").asJava): JsonNode
        case _                 => ()
      }
      root.toString
    case _ => json
  }

  private final val Pandas = "pandas"
  private lazy val mapper  = new ObjectMapper()
}
