// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import org.apache.hadoop.conf.Configuration
import org.apache.orc.OrcConf
import org.apache.spark.sql.execution.datasources.orc.{OrcFileFormat, OrcOptions}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, DateType, MapType, StructType, UserDefinedType}

import stoplog.format.bulk.{DryRun, FormatConfiguration, FormatDescription, MetadataOptions}

/** All settings that determine the bytes of a file besides its rows. Independent of the session.
  *
  * @param orc       the settings for orc-core that Spark's writer found in its Hadoop configuration
  * @param batchRows the number of rows in a batch for orc-core
  * @param metadata  user metadata in addition to Spark's
  */
private[orc] final case class OrcSettings(
    schema: StructType,
    orc: Map[String, String],
    batchRows: Int,
    metadata: Map[String, String]
) {

  /** orc-core's name of the codec: `ZSTD`, `NONE`. */
  def compression: String = OrcConf.COMPRESS.getString(configuration)

  def configuration: Configuration = FormatConfiguration.configuration(orc)

  def describe: String =
    FormatDescription.write("orc", schema, "batchRows" -> batchRows)("orc" -> orc, "metadata" -> metadata)

  def problems: Seq[String] =
    MetadataOptions.problems(metadata)(_ => false) ++
      Option(OrcConf.ENCRYPTION.getString(configuration)).filter(_.nonEmpty).map { _ =>
        s"${OrcConf.ENCRYPTION.getAttribute}: an ORC part that several writers continue cannot be " +
          "encrypted."
      }
}

private[orc] object OrcSettings {

  def of(described: String): OrcSettings = {
    val read = FormatDescription.read("orc", described)
    // A description from storage must not allow more than a session. Sessions reject encryption, whose
    // settings name key providers.
    val orc = read.texts("orc").filter(setting => isOrc(setting._1))
    OrcSettings(
      read.schema,
      orc - OrcConf.ENCRYPTION.getAttribute,
      read.number("batchRows"),
      read.texts("metadata")
    )
  }

  /** Returns the settings of Spark's ORC sink, from a session on the driver. */
  def of(
      schema: StructType,
      options: Map[String, String],
      session: SQLConf,
      hadoop: Configuration
  ): OrcSettings = {
    val (metadata, others) = MetadataOptions.split(options)
    // The same order as in Spark, where options of the writer override the session's settings.
    val carried = FormatConfiguration.some(hadoop)(isOrc) ++
      (session.getAllConfs ++ others).filter(setting => isOrc(setting._1))
    val codec = DryRun.explained("ORC")(new OrcOptions(others, session).compressionCodec)
    OrcSettings(
      schema,
      carried + (OrcConf.COMPRESS.getAttribute -> codec),
      session.orcVectorizedWriterBatchSize,
      metadata
    )
  }

  // Spark's serializer sorts map entries by key with orc-core's comparison, which treats all dates as equal.
  // A map with date keys would keep only one entry.
  def isSupported(of: DataType): Boolean =
    new OrcFileFormat().supportDataType(of) && !inside(of).exists {
      case map: MapType => inside(map.keyType).contains(DateType)
      case _            => false
    }

  /** Returns the first name, at any depth, that Spark's readers do not find, as they escape no backtick. */
  def unreadableName(schema: StructType): Option[String] = inside(schema)
    .collect { case struct: StructType => struct.fieldNames.toSeq }
    .flatten
    .find(_.contains('`'))

  private def inside(of: DataType): Seq[DataType] = of +: (of match {
    case of: StructType           => of.fields.toSeq.flatMap(field => inside(field.dataType))
    case ArrayType(element, _)    => inside(element)
    case MapType(key, element, _) => inside(key) ++ inside(element)
    case of: UserDefinedType[_]   => inside(of.sqlType)
    case _                        => Nil
  })

  private def isOrc(key: String): Boolean = key.startsWith("orc.") || key.startsWith("hive.exec.orc.")
}
