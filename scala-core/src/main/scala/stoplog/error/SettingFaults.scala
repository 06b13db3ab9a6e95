// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import org.apache.spark.SparkThrowable

/** Failures to read a file because of the query: its columns, its settings, its keys, or its class path. The
  * content of the file is not the cause, so the file must not be quarantined: a query with other settings can
  * read the file.
  *
  * The classes are compared by name, because some are not on the class path of each query.
  */
private[stoplog] object SettingFaults {

  /** Returns the cause that contains the reason, if the failure is of this kind. */
  def of(e: Throwable): Option[Throwable] = Causes.of(e).find(isSetting)

  private def isSetting(e: Throwable): Boolean = {
    val names =
      Iterator.iterate[Class[_]](e.getClass)(_.getSuperclass).takeWhile(_ != null).map(_.getName).toSet
    (names.exists(Classes) && !names.exists(Damage)) || (e match {
      case known: SparkThrowable =>
        Option(known.getCondition).exists(name => Conditions.exists(name.startsWith))
      case _ => false
    })
  }

  private val Classes = Set(
    "java.lang.ClassNotFoundException", "java.lang.LinkageError",
    "org.apache.orc.impl.SchemaEvolution$IllegalEvolutionException",
    "org.apache.parquet.crypto.ParquetCryptoRuntimeException",
    "org.apache.parquet.hadoop.BadConfigurationException", "org.apache.spark.SparkUpgradeException",
    "org.apache.spark.sql.AnalysisException", "org.apache.spark.sql.avro.IncompatibleSchemaException",
    "org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException"
  )

  /** Encrypted bytes whose signature does not match. */
  private val Damage = Set("org.apache.parquet.crypto.TagVerificationException")

  private val Conditions = Seq(
    "INCONSISTENT_BEHAVIOR_CROSS_VERSION", "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH",
    "PARQUET_CONVERSION_FAILURE", "PARQUET_TYPE_ILLEGAL", "PARQUET_TYPE_NOT_RECOGNIZED",
    "PARQUET_TYPE_NOT_SUPPORTED", "STOPLOG_SOURCE_FILE_SETTINGS"
  )
}
