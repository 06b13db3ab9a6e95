// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils
import org.apache.spark.sql.jdbc.JdbcDialects
import org.apache.spark.sql.types.StringType

/** What a database calls a text of any length, as Spark's own `jdbc` format makes tables. */
private[jdbc] object TextTypes {
  def of(url: String): String =
    JdbcUtils.getJdbcType(StringType, JdbcDialects.get(url)).databaseTypeDefinition
}
