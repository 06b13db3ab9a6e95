// SPDX-License-Identifier: Apache-2.0
package stoplog.bucketing

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema

import stoplog.format.Encoder
import stoplog.util.UserObject

/** A format of the rows of a [[stoplog.BucketingSink]]. */
sealed trait Writer {

  /** The options of the sink of files that stand for it. */
  private[stoplog] def options: Map[String, String]
}

object Writer {

  /** A writer of one's own. */
  def of(encoder: Encoder): Writer = new Of(encoder)

  private final class Of(encoder: Encoder) extends Writer {
    override private[stoplog] def options = Map("encoder" -> UserObject.reference(encoder, "encoder"))
  }
}

/** Lines of UTF-8: each row of one column of strings, and a line feed. */
case object StringWriter extends Writer {
  override private[stoplog] def options = Map("format" -> "text")
}

/** Hadoop's SequenceFile, of one column of values, or of two: keys and values.
  *
  * @param compression     a codec by its short name, such as `gzip`, or `none`
  * @param compressionType `block` or `record`
  */
final case class SequenceFileWriter(compression: String, compressionType: String) extends Writer {
  override private[stoplog] def options =
    Map("format" -> "sequencefile", "compression" -> compression, "compressionType" -> compressionType)
}

object SequenceFileWriter {

  /** Not compressed. */
  def apply(): SequenceFileWriter = SequenceFileWriter("none", "none")
}

/** Avro files of pairs, as Hadoop's `AvroKeyValueOutputFormat` writes them, of two columns `key` and `value`.
  *
  * @param keySchema   of the keys, as JSON
  * @param valueSchema of the values
  * @param compression `none`, `deflate`, `snappy`, `bzip2`, `xz` or `zstandard`
  */
final case class AvroKeyValueSinkWriter(keySchema: String, valueSchema: String, compression: String)
    extends Writer {

  /** Error: Avro's `SchemaParseException` for what is no schema. */
  override private[stoplog] def options =
    Map("format" -> "avro", "compression" -> compression, "avroSchema" -> pair.toString)

  private def pair: Schema = {
    val key   = new Schema.Field("key", parsed(keySchema), "The key", null)
    val value = new Schema.Field("value", parsed(valueSchema), "The value", null, Schema.Field.Order.IGNORE)
    val pair  =
      Schema.createRecord("KeyValuePair", "A key/value pair", AvroKeyValueSinkWriter.Namespace, false)
    pair.setFields(Seq(key, value).asJava)
    pair
  }

  private def parsed(schema: String): Schema = new Schema.Parser().parse(schema)
}

object AvroKeyValueSinkWriter {

  /** Not compressed. */
  def apply(keySchema: String, valueSchema: String): AvroKeyValueSinkWriter =
    AvroKeyValueSinkWriter(keySchema, valueSchema, "none")

  private val Namespace = "org.apache.avro.mapreduce"
}
