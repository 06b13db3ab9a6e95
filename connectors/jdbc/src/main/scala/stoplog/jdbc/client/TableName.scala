// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import java.sql.{Connection, DatabaseMetaData}

/** Table names in SQL syntax: parts separated by dots, possibly quoted. */
private[jdbc] object TableName {

  /** Returns the name of another table in the same schema. */
  def inSameSchema(table: String, other: String): String = {
    val dot = lastDot(table)
    if (dot < 0) other else s"${table.take(dot + 1)}$other"
  }

  /** Returns the name with a suffix, inside the quotes of a quoted name. */
  def withSuffix(table: String, suffix: String): String =
    if (table.endsWith("\"") || table.endsWith("`")) s"${table.dropRight(1)}$suffix${table.last}"
    else s"$table$suffix"

  /** The name of a table in the database's own catalog. */
  final case class Located(catalog: Option[String], schema: Option[String], name: String) {

    /** Returns the database of MySQL, which drivers call a catalog or a schema. */
    def mySqlDatabase: Option[String] = schema.orElse(catalog)
  }

  /** Resolves a name. Unquoted parts are folded as in the database. */
  def located(table: String, connection: Connection): Located = {
    val meta  = connection.getMetaData
    val parts = split(table).map(folded(_, meta))
    // In MySQL, a database is a catalog, and there are no schemas.
    val inCatalogs = !meta.supportsSchemasInTableDefinitions && meta.supportsCatalogsInTableDefinitions
    parts match {
      case Seq(catalog, schema, name)       => Located(Some(catalog), Some(schema), name)
      case Seq(catalog, name) if inCatalogs => Located(Some(catalog), None, name)
      case Seq(schema, name)                => Located(Option(connection.getCatalog), Some(schema), name)
      case _ => Located(Option(connection.getCatalog), Option(connection.getSchema), parts.last)
    }
  }

  private def split(table: String): Seq[String] = {
    val dot = lastDot(table)
    if (dot < 0) Seq(table.trim) else split(table.take(dot)) :+ table.drop(dot + 1).trim
  }

  private def lastDot(table: String): Int = {
    var quote = Option.empty[Char]
    var last  = -1
    for ((c, i) <- table.zipWithIndex) quote match {
      case Some(open)                 => if (c == open) quote = None
      case None if Quotes.contains(c) => quote = Some(if (c == '[') ']' else c)
      case None                       => if (c == '.') last = i
    }
    last
  }

  private def folded(part: String, meta: DatabaseMetaData): String =
    if (part.nonEmpty && Quotes.contains(part.head)) {
      val mark = part.takeRight(1)
      part.drop(1).dropRight(1).replace(mark * 2, mark)
    } else if (meta.storesUpperCaseIdentifiers) part.toUpperCase(java.util.Locale.ROOT)
    else if (meta.storesLowerCaseIdentifiers) part.toLowerCase(java.util.Locale.ROOT)
    else part

  private val Quotes = "\"`["
}
