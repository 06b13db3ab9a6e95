// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka

/** What becomes of the bytes of a key or a value, as a SQL expression. */
final class Decoder private (expression: String => String) extends Serializable {

  /** For a column of bytes. */
  def of(column: String): String = expression(column)
}

object Decoder {

  /** The bytes as they are. */
  val binary: Decoder = new Decoder(column => column)

  /** Text in UTF-8. */
  val string: Decoder = new Decoder(column => s"CAST($column AS STRING)")

  /** An object of JSON, as a struct.
    *
    * @param schema  of the struct, such as `id BIGINT, item STRING`
    * @param options of Spark's `from_json`, such as `mode` -> `FAILFAST`; by default what cannot be read is null
    */
  def json(schema: String, options: Map[String, String] = Map.empty): Decoder =
    new Decoder(column => s"from_json(CAST($column AS STRING), ${text(schema)}${more(options)})")

  /** A record of Avro without any header, as a struct. Needs Spark's Avro module (`org.apache.spark:spark-avro`).
    *
    * @param schema  of Avro, as JSON: the one that the values were written with
    * @param options of Spark's `from_avro`. By default a value that cannot be read fails the query; with `mode` ->
    *                `PERMISSIVE` all fields of its struct are null.
    */
  def avro(schema: String, options: Map[String, String] = Map.empty): Decoder =
    new Decoder(column => s"from_avro($column, ${text(schema)}${more(options)})")

  /** A SQL expression of one's own.
    *
    * @param sql with `{}` wherever the column is to stand, such as `unhex(cast({} as string))`
    */
  def sql(sql: String): Decoder = new Decoder(column => sql.replace("{}", column))

  private def more(options: Map[String, String]): String =
    if (options.isEmpty) ""
    else
      options.toSeq.sorted
        .flatMap { case (key, value) => Seq(text(key), text(value)) }
        .mkString(", map(", ", ", ")")

  private def text(value: String): String = s"'${value.replace("\\", "\\\\").replace("'", "\\'")}'"
}
