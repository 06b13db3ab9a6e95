package stoplog.format.parquet

import scala.util.control.NonFatal

import org.apache.parquet.hadoop.ParquetWriter
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat

import stoplog.error.Errors
import stoplog.format.SupportedTypes
import stoplog.format.bulk.BlockOutput

/** Finds on the driver what would fail in the first task. */
private[parquet] object DryRun {

  /** @return the same format, known to write */
  def apply(settings: ParquetSettings, format: ParquetBulk): ParquetBulk = {
    SupportedTypes.check("parquet", settings.schema)(new ParquetFileFormat().supportDataType)
    val refused = problems(settings)
    if (refused.nonEmpty) throw Errors.invalidOptions(refused)
    try {
      format.open(settings.schema)
      format.end(new Nowhere, Array.empty)
      format
    } catch {
      case NonFatal(e) => throw Errors.invalidOptions(Seq(s"Parquet cannot be written: ${why(e)}."))
    }
  }

  private def why(e: Throwable): String = String.valueOf(e.getMessage).trim.stripSuffix(".")

  private def problems(settings: ParquetSettings): Seq[String] =
    settings.metadata.keys.toSeq.sorted.filter(isReserved).map { key =>
      s"${ParquetBulk.MetadataPrefix}$key: Spark writes metadata of this name itself."
    } ++ WithoutSetter.filter(settings.hadoop.contains).map { key =>
      s"$key: parquet-hadoop has no way to set it on a single writer."
    } ++ keyMaterial(settings)

  private def isReserved(key: String): Boolean =
    key.startsWith("org.apache.spark.") || key == ParquetWriter.OBJECT_MODEL_NAME_PROP

  private val WithoutSetter = Seq("parquet.page.value.count.threshold", "parquet.page.size.check.estimate")

  // It would be a file beside the part, under the part's name of the time, which is not the name it will have.
  private def keyMaterial(settings: ParquetSettings): Option[String] =
    settings.hadoop
      .get(InternalKeyMaterial)
      .filter(value => settings.encrypts && value.equalsIgnoreCase("false"))
      .map(_ => s"$InternalKeyMaterial: key material must be kept in the file.")

  private val InternalKeyMaterial = "parquet.encryption.key.material.store.internally"

  private final class Nowhere extends BlockOutput {
    private var written                                                          = 0L
    override def position: Long                                                  = written
    override def write(byte: Int): Unit                                          = written += 1
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = written += length
  }
}
