// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import java.sql.SQLException

import org.apache.spark.SparkThrowable

import stoplog.error.ConditionRules
import stoplog.jdbc.client.{JdbcErrors, SinkAddress}

class JdbcErrorsSuite extends ConditionRules(None, JdbcErrorsSuite.one, Some("jdbc"))

object JdbcErrorsSuite {
  private val cause = new SQLException("value too long for type character varying(3)", "22001")
  private val at    = SinkAddress("orders/main", "orders", "jdbc:postgresql://db/shop")

  val one: Seq[Throwable with SparkThrowable] = Seq(
    JdbcErrors.table("orders", at.database, Seq("It has no column 'x'.")),
    JdbcErrors.outputMode("overwrite"),
    JdbcErrors.unreachable(at.database, cause),
    JdbcErrors.ownTable("stoplog_epochs", at.database, cause),
    JdbcErrors.badRow("orders", "{\"id\":1}", cause),
    JdbcErrors.nullKey("orders", "id"),
    JdbcErrors.nullVersion("orders", "updated"),
    JdbcErrors.inexact("orders", "price", "numeric", "has more than 2 digits after the point"),
    JdbcErrors.writeFailed("orders", at.database, cause),
    JdbcErrors.unknownOutcome(at, "stoplog_epochs", 7, cause),
    JdbcErrors.stagingLost("stoplog_staging_0", at, 10, 9),
    JdbcErrors.fenced(at, "r2"),
    JdbcErrors.foreignQuery(at, "q1", "q2", "It starts at batch 3"),
    JdbcErrors.epochGap(at, "7", 10),
    JdbcErrors.epochAhead(at, 7, "at batch 3", 3)
  )
}
