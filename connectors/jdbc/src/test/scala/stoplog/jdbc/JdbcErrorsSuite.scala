// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.SQLException

import org.apache.spark.SparkThrowable

import stoplog.error.{ConditionRules, Conditions}

class JdbcErrorsSuite extends ConditionRules(JdbcErrorsSuite.url, JdbcErrorsSuite.one)

object JdbcErrorsSuite {
  private val cause  = new SQLException("value too long for type character varying(3)", "22001")
  private val target = Target("jdbc:postgresql://db/shop", "orders", Vector.empty, Dialect.PostgreSql)
  private val sink   = "orders/main"

  // Each connector has a file of this name: this is its own.
  private def url = classOf[JdbcSink].getProtectionDomain.getCodeSource.getLocation.toURI
    .resolve(Conditions.ConnectorResource)
    .toURL

  val one: Seq[Throwable with SparkThrowable] = Seq(
    JdbcErrors.table("orders", target.database, Seq("It has no column 'x'.")),
    JdbcErrors.outputMode("overwrite"),
    JdbcErrors.unreachable(target.database, cause),
    JdbcErrors.ownTable("stoplog_epochs", target.database, cause),
    JdbcErrors.badRow("orders", "{\"id\":1}", cause),
    JdbcErrors.nullKey("orders", "id"),
    JdbcErrors.writeFailed("orders", target.database, cause),
    JdbcErrors.unknownOutcome(SinkTables.of(target, "main", None, None), 7, cause),
    JdbcErrors.stagingLost("stoplog_staging_0", target, 10, 9),
    JdbcErrors.fenced(sink, target, "r2"),
    JdbcErrors.foreignQuery(sink, target, "q1", "q2", "It starts at batch 3"),
    JdbcErrors.epochGap(sink, target, "7", 10),
    JdbcErrors.epochAhead(sink, target, 7, "at batch 3", 3)
  )
}
