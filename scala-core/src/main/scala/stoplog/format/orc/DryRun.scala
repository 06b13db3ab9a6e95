package stoplog.format.orc

import scala.util.control.NonFatal

import org.apache.orc.OrcConf
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat

import stoplog.error.Errors
import stoplog.format.SupportedTypes
import stoplog.format.bulk.BlockOutput

/** Finds on the driver what would fail in the first task. */
private[orc] object DryRun {

  /** @return the same format, known to write */
  def apply(settings: OrcSettings, format: OrcBulk): OrcBulk = {
    SupportedTypes.check("orc", settings.schema)(new OrcFileFormat().supportDataType)
    val refused = problems(settings)
    if (refused.nonEmpty) throw Errors.invalidOptions(refused)
    asked {
      DataSourceUtils.checkFieldNames(new OrcFileFormat, settings.schema)
      format.open(settings.schema)
      format.block(new Nowhere, Array.empty).close()
      format.end(new Nowhere, Array.empty)
      format
    }
  }

  /** What Spark or orc-core refuses, in our own words for it. */
  def asked[A](answer: => A): A =
    try answer
    catch { case NonFatal(e) => throw Errors.invalidOptions(Seq(s"ORC cannot be written: ${why(e)}.")) }

  private def why(e: Throwable): String = String.valueOf(e.getMessage).trim.stripSuffix(".")

  private def problems(settings: OrcSettings): Seq[String] =
    settings.metadata.keys.toSeq.sorted.filter(_.startsWith("org.apache.spark.")).map { key =>
      s"${OrcBulk.MetadataPrefix}$key: Spark writes metadata of this name itself."
    } ++ Option(OrcConf.ENCRYPTION.getString(settings.configuration)).filter(_.nonEmpty).map { _ =>
      s"${OrcConf.ENCRYPTION.getAttribute}: an ORC part that several writers go on with cannot be encrypted."
    }

  private final class Nowhere extends BlockOutput {
    private var written                                                    = 0L
    override def position: Long                                            = written
    override def write(byte: Int): Unit                                    = written += 1
    override def write(bytes: Array[Byte], offset: Int, length: Int): Unit = written += length
  }
}
