// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

/** A bulk format built into stoplog, and its options.
  *
  * @param compressions the values of `compression`; the first is the default
  * @param options      Spark's own options for the format
  * @param prefixes     of options passed to the format's library unchanged
  */
private[stoplog] sealed abstract class BulkFormatName(
    val word: String,
    val compressions: Seq[String],
    val options: Seq[String],
    val prefixes: Seq[String]
) extends Product
    with Serializable

private[stoplog] object BulkFormatName {
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
