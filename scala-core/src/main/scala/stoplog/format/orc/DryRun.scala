// SPDX-License-Identifier: Apache-2.0
package stoplog.format.orc

import scala.util.control.NonFatal

import org.apache.orc.OrcConf
import org.apache.spark.sql.execution.datasources.DataSourceUtils
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.types.{ArrayType, DataType, DateType, MapType, StructType, UserDefinedType}

import stoplog.error.Errors
import stoplog.format.SupportedTypes
import stoplog.format.bulk.{FileMetadata, NullOutput}

/** Finds on the driver what would fail in the first task. */
private[orc] object DryRun {

  /** @return the same format, known to write */
  def apply(settings: OrcSettings, format: OrcBulk): OrcBulk = {
    SupportedTypes.check("orc", settings.schema)(isSupported)
    val refused = problems(settings)
    if (refused.nonEmpty) throw Errors.invalidOptions(refused)
    asked {
      DataSourceUtils.checkFieldNames(new OrcFileFormat, settings.schema)
      format.open(settings.schema)
      format.block(new NullOutput, Array.empty).close()
      format.end(new NullOutput, Array.empty)
      format
    }
  }

  // Spark's serializer sorts the entries of a map by keys that orc-core compares, and days are all equal to it: of
  // entries by date it would keep one.
  private def isSupported(of: DataType): Boolean =
    new OrcFileFormat().supportDataType(of) && !inside(of).exists {
      case map: MapType => inside(map.keyType).contains(DateType)
      case _            => false
    }

  private def inside(of: DataType): Seq[DataType] = of +: (of match {
    case of: StructType           => of.fields.toSeq.flatMap(field => inside(field.dataType))
    case ArrayType(element, _)    => inside(element)
    case MapType(key, element, _) => inside(key) ++ inside(element)
    case of: UserDefinedType[_]   => inside(of.sqlType)
    case _                        => Nil
  })

  /** What Spark or orc-core refuses, in our own words for it. */
  def asked[A](answer: => A): A =
    try answer
    catch { case NonFatal(e) => throw Errors.invalidOptions(Seq(s"ORC cannot be written: ${why(e)}.")) }

  private def why(e: Throwable): String = String.valueOf(e.getMessage).trim.stripSuffix(".")

  private def problems(settings: OrcSettings): Seq[String] =
    settings.metadata.keys.toSeq.sorted.filter(_.startsWith("org.apache.spark.")).map { key =>
      s"${FileMetadata.Prefix}$key: Spark writes metadata of this name itself."
    } ++ Option(OrcConf.ENCRYPTION.getString(settings.configuration)).filter(_.nonEmpty).map { _ =>
      s"${OrcConf.ENCRYPTION.getAttribute}: an ORC part that several writers go on with cannot be encrypted."
    }
}
