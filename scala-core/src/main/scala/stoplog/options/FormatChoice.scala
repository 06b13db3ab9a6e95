// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** How rows become bytes, as asked for. */
sealed trait FormatChoice extends Product with Serializable {

  /** The options that stand for it. */
  def toMap: Map[String, String]

  /** As messages call it. */
  def described: String
}

object FormatChoice {

  /** A format of rows that comes with stoplog: `text`, `json` or `csv`. */
  final case class Rows(name: String) extends FormatChoice {
    override def toMap: Map[String, String] = Map(SinkOptionRegistry.FormatName.key -> name)
    override def described: String          = s"format = $name"
  }

  /** The user's own [[stoplog.format.Encoder]].
    *
    * @param reference
    *   a class name, or an instance in the form of [[UserObject.reference]]
    */
  final case class UserEncoder(reference: String) extends FormatChoice {
    override def toMap: Map[String, String] = Map(SinkOptionRegistry.Encoder.key -> reference)
    override def described: String          = "an own encoder"
  }

  /** A bulk format that comes with stoplog. */
  final case class Bulk(format: BulkFormatName) extends FormatChoice {
    override def toMap: Map[String, String] = Map(SinkOptionRegistry.FormatName.key -> format.word)
    override def described: String          = s"format = ${format.word}"
  }

  /** The user's own [[stoplog.format.bulk.BulkWriterFactory]] or [[stoplog.format.bulk.BulkFormat]].
    *
    * @param reference
    *   as for an encoder
    */
  final case class UserBulk(reference: String) extends FormatChoice {
    override def toMap: Map[String, String] = Map(SinkOptionRegistry.BulkWriter.key -> reference)
    override def described: String          = "an own bulk writer"
  }
}

/** The bulk formats that come with stoplog, and what may be set for each.
  *
  * @param compressions what `compression` may be; the first is what it is when it is not set
  * @param options      Spark's own options of the format
  * @param prefixes     of options that go to the format's library as they are
  */
sealed abstract class BulkFormatName(
    val word: String,
    val compressions: Seq[String],
    val options: Seq[String],
    val prefixes: Seq[String]
) extends Product
    with Serializable

object BulkFormatName {
  case object Parquet
      extends BulkFormatName(
        "parquet",
        Seq("snappy", "zstd", "gzip", "lz4", "lz4_raw", "brotli", "lzo", "none", "uncompressed"),
        Seq(
          "spark.sql.parquet.outputTimestampType",
          "spark.sql.parquet.writeLegacyFormat",
          "spark.sql.parquet.fieldId.write.enabled"
        ),
        Seq("parquet.", "metadata.")
      )
  case object Orc
      extends BulkFormatName(
        "orc",
        Seq("zstd", "snappy", "zlib", "lz4", "lzo", "brotli", "none", "uncompressed"),
        Nil,
        Seq("orc.", "metadata.")
      )
  case object Avro
      extends BulkFormatName(
        "avro",
        Seq("snappy", "deflate", "bzip2", "xz", "zstandard", "none", "uncompressed"),
        Seq("avroSchema", "avroSchemaUrl", "recordName", "recordNamespace", "positionalFieldMatching"),
        Seq("avro.", "metadata.")
      )
  case object SequenceFile
      extends BulkFormatName(
        "sequencefile",
        Seq("none", "gzip", "bzip2", "snappy", "lz4", "zstd", "deflate"),
        Seq("compressionType"),
        Seq("io.seqfile.", "metadata.")
      )

  val all: Seq[BulkFormatName] = Seq(Parquet, Orc, Avro, SequenceFile)
}
