// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The errors of columns that do not fit a format, a table or an option. */
private[stoplog] trait ColumnErrors extends ErrorMaker {

  def textSchema(schema: String): StoplogArgumentException = rowColumns(
    "the format text",
    Seq(s"It writes one column of type string or binary, but the rows have the schema $schema."),
    ", for example to one column with to_json or concat_ws, or set format to json or csv"
  )

  /** @param schema of the rows, which does not have one or two columns */
  def sequenceSchema(schema: String): StoplogArgumentException = rowColumns(
    "the format sequencefile",
    Seq(s"A SequenceFile has a value and an optional key, but the rows have the schema $schema."),
    ": one column for the value, or two for the key and the value, in this order"
  )

  /** @param problems each a clause
    * @param columns  of the table
    */
  def tableColumns(table: String, problems: Seq[String], columns: String): StoplogArgumentException =
    rowColumns(
      s"the table $table",
      problems.map(problem => s"$problem."),
      s" to match the columns of the table: $columns"
    )

  /** @param target      as the object of a sentence
    * @param problems    each a sentence, in which `it` is the target
    * @param alternative the end of the sentence about columns, and other ways out
    */
  def rowColumns(target: String, problems: Seq[String], alternative: String): StoplogArgumentException =
    argument(
      "STOPLOG_ROW_COLUMNS",
      Seq("target" -> target, "alternative" -> alternative) ++ listed(problems): _*
    )

  def unsupportedType(format: String, column: String, dataType: String): StoplogArgumentException =
    columnName(format, column, s"its type is $dataType")

  /** @param column whose name, or the name of a nested field, is not valid in the format */
  def columnName(format: String, column: String, why: String): StoplogArgumentException =
    argument("STOPLOG_UNSUPPORTED_COLUMN", "format" -> format, "column" -> column, "why" -> reason(why))

  def bucketColumn(column: String, why: String): StoplogArgumentException = optionColumn(
    s"bucketColumn = $column",
    why,
    "bucketColumn",
    "a top-level column of type timestamp or date, or remove the option to use the processing time"
  )

  def bucketExpression(expression: String, why: String): StoplogArgumentException = optionColumn(
    s"bucketBy = $expression",
    why,
    "bucketBy",
    "a deterministic SQL expression over the rows' columns with a value that can be cast to a string"
  )

  def eventTimeColumn(column: String, why: String): StoplogArgumentException = optionColumn(
    s"eventTimeColumn = $column",
    why,
    "eventTimeColumn",
    "a top-level column of type timestamp or date, or remove the option to use the column of the query's " +
      "withWatermark"
  )

  def eventTimeMissing(): StoplogArgumentException = optionColumn(
    "eventTimeInterval",
    "the option closes parts by the event times of rows, but no column has a watermark, and eventTimeColumn " +
      "is not set",
    "eventTimeColumn",
    "a timestamp or date column, or specify a column with withWatermark before the sink"
  )

  def partitionColumns(why: String): StoplogArgumentException = optionColumn(
    "partitionBy",
    why,
    "partitionBy",
    "top-level columns of the rows, separated by commas, and leave at least one other column for the content " +
      "of the files"
  )

  private def optionColumn(
      setting: String,
      why: String,
      option: String,
      wanted: String
  ): StoplogArgumentException = argument(
    "STOPLOG_OPTION_COLUMN",
    "setting" -> setting,
    "why"     -> reason(why),
    "option"  -> option,
    "wanted"  -> wanted
  )
}
