// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc

import scala.jdk.CollectionConverters._

import org.scalatest.funsuite.AnyFunSuite

import stoplog.commit.ForeignQuery
import stoplog.error.StoplogArgumentException
import stoplog.jdbc.client.Dialect
import stoplog.jdbc.options.{JdbcOptions, WriteMode}

class JdbcOptionsSuite extends AnyFunSuite {
  private val where = Map("url" -> "jdbc:postgresql://db/shop?password=hidden", "dbtable" -> "orders")

  private def parse(more: (String, String)*) = JdbcOptions.parse((where ++ more).asJava)

  private def problems(more: (String, String)*): String =
    intercept[StoplogArgumentException](parse(more: _*)).getMessage

  test("key columns select upserts, otherwise transactional inserts") {
    assert(parse().mode === WriteMode.Transactional(None, ForeignQuery.Refuse))
    assert(parse("KEYCOLUMNS" -> "a, b").mode === WriteMode.Upsert(Seq("a", "b")))
    assert(parse("keyColumns" -> "a").at.dialect === Dialect.PostgreSql)
    assert(parse("dialect" -> "merge").at.dialect === Dialect.Merge)
  }

  test("all problems are reported together") {
    val said = problems(
      "url"           -> "postgresql://db",
      "batchsize"     -> "none",
      "writeMode"     -> "upsert",
      "onBadRow"      -> "skip",
      "retryTimeout"  -> "5",
      "keyColumns"    -> "a",
      "progressTable" -> "e",
      "maxTries"      -> "3",
      "keyColumn"     -> "id",
      "fetchsize"     -> "10"
    )
    for (
      word <- Seq("does not begin with jdbc:", "batchsize",
        "writeMode is not an option: use keyColumns for upserts", "onBadRow", "retryTimeout",
        "maxTries is not an option: use retryTimeout") ++
        Seq("progressTable has no effect", "did you mean keyColumns", "fetchsize is an option of Spark's own")
    ) assert(said.contains(word), word)
    assert(
      intercept[StoplogArgumentException](JdbcOptions.parse(Map.empty[String, String].asJava)).getMessage
        .contains("dbtable is not set")
    )
  }

  test("a driver that reports changed rows instead of found rows is rejected") {
    val url = "jdbc:mariadb://db/shop"
    for (
      set <- Seq(
        Seq("url" -> s"$url?a=b&useAffectedRows=TRUE"),
        Seq("url" -> url, "useAffectedRows" -> "true")
      )
    ) assert(problems(set: _*).contains("useAffectedRows must not be set"))
    parse("url" -> s"$url?useAffectedRows=false")
  }

  test("a driver that removes fractions of seconds is rejected") {
    val url = "jdbc:mysql://db/shop"
    for (
      set <- Seq(
        Seq("url" -> s"$url?sendFractionalSeconds=false"),
        Seq("url" -> url, "sendFractionalSeconds" -> "No"),
        Seq("url" -> "jdbc:sqlite:/a.db?date_precision=seconds")
      )
    ) assert(problems(set: _*).contains("would remove fractions of seconds"), set)
    parse("url" -> s"$url?sendFractionalSeconds=true")
  }

  test("unknown options reach the driver, with batch rewriting enabled") {
    val read = parse("ssl" -> "true", "user" -> "u", "checkpointLocation" -> "/c", "queryName" -> "q")
    assert(
      read.toSpark.removedAll(Seq("url", "dbtable")) ===
        Map(
          "ssl"                   -> "true",
          "user"                  -> "u",
          "driver"                -> "org.postgresql.Driver",
          "reWriteBatchedInserts" -> "true"
        )
    )
    assert(parse("rewritebatchedinserts" -> "false").toSpark.get("reWriteBatchedInserts").isEmpty)
  }

  test("messages contain the URL without secrets") {
    assert(parse().database === "jdbc:postgresql://db/shop")
    assert(parse("url" -> "jdbc:mysql://u:hidden@db:3306/shop").database === "jdbc:mysql://db:3306/shop")
    assert(parse("url" -> "jdbc:oracle:thin:u/hidden@//db:1521/shop").database.contains("hidden") === false)
    assert(!new JdbcSink(parse("password" -> "hidden")).toString.contains("hidden"))
  }

  test("builder methods set their options, and the options recreate the sink") {
    val sink = JdbcSink
      .forTable("jdbc:derby:d", "t")
      .withCredentials("u", "hidden")
      .withUpsert("a", "b,c")
      .withVersionColumn("v")
      .withBatchSize(7)
      .withMaxWriters(2)
      .withRetryTimeout("1m")
      .withRejectTable("r")
      .withSinkId("s")
      .withOption("queryTimeout", "9")
      .build()
    val options = Map(
      "url"           -> "jdbc:derby:d",
      "dbtable"       -> "t",
      "user"          -> "u",
      "password"      -> "hidden",
      "keyColumns"    -> "a,`b,c`",
      "versionColumn" -> "v",
      "batchsize"     -> "7",
      "numPartitions" -> "2",
      "retryTimeout"  -> "1m",
      "onBadRow"      -> "reject",
      "rejectTable"   -> "r",
      "sinkId"        -> "s",
      "queryTimeout"  -> "9"
    )
    assert(sink.options().asScala.toMap === options)
    assert(JdbcSink.fromOptions(sink.options()) === sink)
    val inserts = JdbcSink
      .forTable("jdbc:derby:d", "t")
      .withUpsert("a")
      .withTransactions()
      .withOnForeignQuery("adopt")
      .build()
    assert(
      inserts.options().asScala.toMap === Map(
        "url"            -> "jdbc:derby:d",
        "dbtable"        -> "t",
        "onForeignQuery" -> "adopt"
      )
    )
  }

  test("a database has the same name on every server, without secrets") {
    def name(url: String, more: (String, String)*) =
      JdbcOptions.parse((Map("url" -> url, "dbtable" -> "t") ++ more).asJava).databaseName
    for (
      (url, named) <- Seq(
        "jdbc:postgresql://db1,db2:5433/shop?user=u&password=hunter2" -> "postgresql:shop",
        "jdbc:postgresql:shop"                                        -> "postgresql:shop",
        "jdbc:postgresql://db/shop?currentSchema=etl&ssl=true" -> "postgresql:shop with currentschema etl",
        "jdbc:mariadb://u:hunter2@db:3306/shop"                -> "mariadb:shop",
        "jdbc:sqlserver://db:1433;databaseName=shop;password=hunter2" -> "sqlserver: with databasename shop",
        "jdbc:oracle:thin:u/hunter2@db:1521:SHOP"                     -> "oracle:SHOP",
        "jdbc:oracle:thin:u/hunter2@//db:1521/shop"                   -> "oracle:shop",
        "jdbc:oracle:thin:u/hunter2@shop"                             -> "oracle:shop",
        "jdbc:h2:tcp://db/~/shop;PASSWORD=hunter2"                    -> "h2:~/shop",
        "jdbc:derby:memory:shop;create=true"                          -> "derby:memory:shop",
        "jdbc:sqlite:/data/shop.db"                                   -> "sqlite:/data/shop.db"
      )
    ) assert(name(url) === named)
    assert(
      name("jdbc:postgresql://db/shop", "currentSchema" -> "etl") === "postgresql:shop with currentschema etl"
    )
  }
}
