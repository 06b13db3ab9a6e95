// SPDX-License-Identifier: Apache-2.0
package stoplog.format.read

import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.internal.{LegacyBehaviorPolicy, SQLConf}

/** The defaults of CSV and JSON that differ from Spark's, for writing and reading.
  *
  * Readers of CSV outside of Spark double a quote inside of quotes, and keep blanks around values. Spark's
  * own default, a backslash, is misread by pandas, DuckDB and spreadsheets. Spark's default pattern of
  * timestamps cuts microseconds, and the seconds of old offsets.
  */
private[stoplog] object LineDialect {

  /** Returns the options for reading CSV: the options set by the user, and defaults. */
  def ofCsv(options: Map[String, String]): Map[String, String] = {
    val set = CaseInsensitiveMap(options)
    withDefaults(options, Seq("escape" -> set.get("quote").filter(_.length == 1).getOrElse("\"")))
  }

  /** Returns the options for writing CSV. */
  def ofCsvWrites(options: Map[String, String]): Map[String, String] =
    withDefaults(ofCsv(options), Blanks ++ times)

  /** Adds the form of an empty string to options for writing CSV: the quote twice. Spark's writer writes `""`
    * with any quote. Readers need no option for this form.
    */
  def withEmptyValue(options: Map[String, String]): Map[String, String] = {
    val quote = CaseInsensitiveMap(options).get("quote").filter(_.length == 1)
    withDefaults(options, quote.map(q => "emptyValue" -> s"$q$q").toSeq)
  }

  /** Returns the options for writing JSON. */
  def ofJsonWrites(options: Map[String, String]): Map[String, String] = withDefaults(options, times)

  private def withDefaults(set: Map[String, String], defaults: Seq[(String, String)]): Map[String, String] =
    set ++ defaults.filterNot { case (name, _) => set.keys.exists(_.equalsIgnoreCase(name)) }

  private val Blanks = Seq("ignoreLeadingWhiteSpace" -> "false", "ignoreTrailingWhiteSpace" -> "false")

  /** The patterns of Spark's older formatters have other letters. Times without a zone never use the older
    * formatters.
    */
  private def times: Seq[(String, String)] = {
    val isLegacy = SQLConf.get.getConf(SQLConf.LEGACY_TIME_PARSER_POLICY) == LegacyBehaviorPolicy.LEGACY
    Option.when(!isLegacy)("timestampFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXXXX").toSeq :+
      ("timestampNTZFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")
  }
}
