// SPDX-License-Identifier: Apache-2.0
package stoplog.format

import org.apache.spark.sql.types.StructType

/** The row formats that a sink knows by name: `text`, `json` and `csv`.
  *
  * {{{
  * val encoder = RowFormats.encoder("csv", schema, Map("header" -> "true"), "UTC") // on the driver
  * encoder.open(schema)                                                           // in each task, after travelling
  * }}}
  */
object RowFormats {

  /** The names that [[encoder]] takes, in lower case. */
  val Names: Seq[String] = Seq("text", "json", "csv")

  /** The encoder of a format, ready to be sent to the tasks: one copy of it is used by each.
    *
    * Everything that can be wrong is found here, on the driver, rather than in the first task.
    *
    * @param format
    *   one of [[Names]], in any case
    * @param schema
    *   the columns that will be written (Hive-style partition columns left out)
    * @param options
    *   the sink's options: those of Spark's writer of the same format mean what they mean there
    * @param sessionTimeZone
    *   for timestamps, where the option `timeZone` of Spark's json and csv is not among `options`
    * @throws stoplog.error.StoplogArgumentException
    *   if a column cannot be written in the format
    * @throws java.lang.IllegalArgumentException
    *   if an option has a value that Spark refuses
    */
  def encoder(
      format: String,
      schema: StructType,
      options: Map[String, String],
      sessionTimeZone: String
  ): Encoder = {
    val encoder = made(format, options, sessionTimeZone)
    encoder.open(schema)
    encoder
  }

  private def made(format: String, options: Map[String, String], sessionTimeZone: String): Encoder =
    format.toLowerCase(java.util.Locale.ROOT) match {
      case "text" => TextEncoder(options)
      case "json" => JsonEncoder(options, sessionTimeZone)
      case "csv"  => CsvEncoder(options, sessionTimeZone)
      case other  =>
        throw new IllegalArgumentException(
          s"There is no row format '$other'; there are ${Names.mkString(", ")}."
        )
    }
}
