// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.io.SequenceFile.CompressionType
import org.apache.hadoop.io.compress.DefaultCodec
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, CompressionCodecs}
import org.apache.spark.sql.types.StructType

import stoplog.compact.Compactor
import stoplog.error.Errors
import stoplog.format.bulk.{FormatConfiguration, MetadataOptions, SyncedFormat, SyncedWriter}
import stoplog.part.BlockOutput

/** Hadoop's SequenceFile. With two columns, the first is the key. With one column, the value, the keys are
  * NullWritable.
  *
  * Supported column types are boolean, int, long, float, double, string (Text) and binary (BytesWritable).
  */
private[stoplog] final class SequenceFormat private (settings: SequenceFormat.SequenceSettings)
    extends SyncedFormat {

  @transient private var layout: SequenceLayout = _

  override def suffix: String = ".seq"

  override def open(schema: StructType): Unit = layout = SequenceLayout(settings, schema)

  override def writer(out: BlockOutput, name: String): SyncedWriter = new SequenceWriter(layout, out, name)

  override def compactor: Option[Compactor] = Some(SequenceCompactor)
}

private[stoplog] object SequenceFormat {

  /** Returns the format for rows of `schema`, tested on the driver.
    *
    * @param options `compression`: a codec by Spark's names for text files, or a class; `compressionType`:
    *                `none`, `record` or `block`, by default block if a codec is set; `metadata.<key>` for an
    *                entry of the header; Hadoop's `io.seqfile.*` and the settings of its codecs
    * @throws stoplog.error.StoplogArgumentException if a column has no Writable, if there are more than two
    *                                                columns, or if the codec is unavailable
    */
  def apply(schema: StructType, options: Map[String, String], session: SparkSession): SequenceFormat = {
    val settings = SequenceSettings.of(options, session)
    val format   = new SequenceFormat(settings)
    SequenceLayout.check(schema)
    try format.open(schema)
    catch {
      case e @ (NonFatal(_) | _: LinkageError) =>
        throw Errors.codecUnavailable("sequencefile", settings.codec, String.valueOf(e.getMessage), e)
    }
    format
  }

  /** All settings that determine the bytes of a file besides its rows. Independent of the session.
    *
    * @param compression of records, of blocks of records, or none
    * @param codec       a Hadoop class; unused without compression
    * @param metadata    of the header, by key
    * @param hadoop      the settings read by the writer and the codec
    */
  private[sequence] final case class SequenceSettings(
      compression: CompressionType,
      codec: String,
      metadata: Map[String, String],
      hadoop: Map[String, String]
  ) {

    def configuration: Configuration = FormatConfiguration.configuration(hadoop)
  }

  private[sequence] object SequenceSettings {

    /** Reads the options, and stores the session's settings for Hadoop's writer and codecs. */
    def of(options: Map[String, String], session: SparkSession): SequenceSettings = {
      val settings = CaseInsensitiveMap(options)
      val codec    = settings.get("compression").map(_.trim).filterNot(isNone)
      SequenceSettings(
        compression = compression(settings, codec),
        codec = codec.map(codecClass).getOrElse(classOf[DefaultCodec].getName),
        metadata = MetadataOptions.split(options)._1,
        hadoop = FormatConfiguration.of(session, options).getValByRegex(ReadByHadoop).asScala.toMap
      )
    }

    private def compression(settings: CaseInsensitiveMap[String], codec: Option[String]): CompressionType =
      (settings.get("compressionType").map(_.trim.toUpperCase(Locale.ROOT)), codec) match {
        case (None | Some("NONE"), None)                     => CompressionType.NONE
        case (None, Some(_))                                 => CompressionType.BLOCK
        case (Some("BLOCK"), _) if !refused(settings)        => CompressionType.BLOCK
        case (Some("RECORD"), _) if !refused(settings)       => CompressionType.RECORD
        case (Some(kind @ ("NONE" | "BLOCK" | "RECORD")), _) =>
          throw invalid(
            s"compressionType = '${kind.toLowerCase(Locale.ROOT)}' and compression = " +
              s"'${settings("compression")}' exclude each other: remove one of them."
          )
        case (Some(other), _) =>
          throw invalid(
            s"compressionType = '${other.toLowerCase(Locale.ROOT)}' is not one of none, record and block."
          )
      }

    private def refused(settings: CaseInsensitiveMap[String]): Boolean =
      settings.get("compression").exists(isNone)

    // Spark's names, as for text, json and csv files, or the class of a codec.
    private def codecClass(name: String): String =
      try CompressionCodecs.getCodecClassName(name)
      catch { case NonFatal(e) => throw invalid(s"compression = '$name' cannot be used: ${e.getMessage}") }

    private def isNone(name: String): Boolean =
      Seq("none", "uncompressed").exists(_.equalsIgnoreCase(name.trim))

    private def invalid(problem: String) = Errors.invalidOptions(Seq(problem))

    private val ReadByHadoop =
      "^(io\\.seqfile\\.|io\\.compression\\.codec\\.|zlib\\.compress\\.|io\\.serializations$|io\\.file\\.buffer\\.size$).*"
  }
}
