// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

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
