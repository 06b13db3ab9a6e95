// SPDX-License-Identifier: Apache-2.0
package stoplog.bucketing

import scala.jdk.CollectionConverters._

import org.apache.avro.Schema

import stoplog.format.Encoder
import stoplog.util.UserObject

/** A format for the rows of a [[stoplog.BucketingSink]]. */
sealed trait Writer {

  /** The equivalent options of the file sink. */
  private[stoplog] def options: Map[String, String]
}

object Writer {

  /** Creates a writer from a user-defined encoder. */
  def of(encoder: Encoder): Writer = new Of(encoder)

  private final class Of(encoder: Encoder) extends Writer {
    override private[stoplog] def options = Map("format" -> UserObject.reference(encoder, "format"))
  }
}

/** Lines of UTF-8. Each row has a single string column and is followed by a line feed. */
case object StringWriter extends Writer {
  override private[stoplog] def options = Map("format" -> "text")
}

/** Hadoop's SequenceFile, with a single column of values, or with two columns: keys and values.
  *
  * @param compression     a codec by its short name, such as `gzip`, or `none`
  * @param compressionType `block` or `record`
  */
final case class SequenceFileWriter(compression: String, compressionType: String) extends Writer {
  override private[stoplog] def options =
    Map("format" -> "sequencefile", "compression" -> compression, "compressionType" -> compressionType)
}

object SequenceFileWriter {

  /** Creates a writer without compression. */
  def apply(): SequenceFileWriter = SequenceFileWriter("none", "none")
}

/** Avro files of key-value pairs, in the format of Hadoop's `AvroKeyValueOutputFormat`. The rows have two
  * columns, `key` and `value`.
  *
  * @param keySchema   the schema of the keys, as JSON
  * @param valueSchema the schema of the values, as JSON
  * @param compression `none`, `deflate`, `snappy`, `bzip2`, `xz` or `zstandard`
  */
final case class AvroKeyValueSinkWriter(keySchema: String, valueSchema: String, compression: String)
    extends Writer {

  /** Throws Avro's `SchemaParseException` for an invalid schema. */
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

  /** Creates a writer without compression. */
  def apply(keySchema: String, valueSchema: String): AvroKeyValueSinkWriter =
    AvroKeyValueSinkWriter(keySchema, valueSchema, "none")

  private val Namespace = "org.apache.avro.mapreduce"
}
