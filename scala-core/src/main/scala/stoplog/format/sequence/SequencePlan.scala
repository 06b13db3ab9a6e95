// SPDX-License-Identifier: Apache-2.0
package stoplog.format.sequence

import java.util.Locale

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

import org.apache.hadoop.io.SequenceFile.CompressionType
import org.apache.hadoop.io.compress.DefaultCodec
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.util.{CaseInsensitiveMap, CompressionCodecs}
import stoplog.error.Errors
import stoplog.format.bulk.{FileMetadata, SessionConfiguration}

/** Reads the options, and keeps what the session says to Hadoop's writer and codecs. */
private[sequence] object SequencePlan {

  def apply(options: Map[String, String], session: SparkSession): SequenceSettings = {
    val asked = CaseInsensitiveMap(options)
    val codec = asked.get("compression").map(_.trim).filterNot(isNone)
    SequenceSettings(
      compression = compression(asked, codec),
      codec = codec.map(codecClass).getOrElse(classOf[DefaultCodec].getName),
      metadata = FileMetadata(options),
      hadoop = SessionConfiguration(session, options).getValByRegex(ReadByHadoop).asScala.toMap
    )
  }

  private def compression(asked: CaseInsensitiveMap[String], codec: Option[String]): CompressionType =
    (asked.get("compressionType").map(_.trim.toUpperCase(Locale.ROOT)), codec) match {
      case (None | Some("NONE"), None)                     => CompressionType.NONE
      case (None, Some(_))                                 => CompressionType.BLOCK
      case (Some("BLOCK"), _) if !refused(asked)           => CompressionType.BLOCK
      case (Some("RECORD"), _) if !refused(asked)          => CompressionType.RECORD
      case (Some(kind @ ("NONE" | "BLOCK" | "RECORD")), _) =>
        throw invalid(
          s"compressionType = '${kind.toLowerCase(Locale.ROOT)}' and compression = '${asked("compression")}' " +
            "exclude each other: remove one of them."
        )
      case (Some(other), _) =>
        throw invalid(
          s"compressionType = '${other.toLowerCase(Locale.ROOT)}' is not one of none, record and block."
        )
    }

  private def refused(asked: CaseInsensitiveMap[String]): Boolean = asked.get("compression").exists(isNone)

  // Spark's own names, so those of its text, json and csv, or the class of a codec.
  private def codecClass(name: String): String =
    try CompressionCodecs.getCodecClassName(name)
    catch { case NonFatal(e) => throw invalid(s"compression = '$name' cannot be used: ${e.getMessage}") }

  private def isNone(name: String): Boolean =
    Seq("none", "uncompressed").exists(_.equalsIgnoreCase(name.trim))

  private def invalid(problem: String) = Errors.invalidOptions(Seq(problem))

  private val ReadByHadoop =
    "^(io\\.seqfile\\.|io\\.compression\\.codec\\.|zlib\\.compress\\.|io\\.serializations$|io\\.file\\.buffer\\.size$).*"
}
