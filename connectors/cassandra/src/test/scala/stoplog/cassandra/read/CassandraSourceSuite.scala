// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.functions.col
import org.scalatest.funsuite.AnyFunSuite

import com.datastax.oss.driver.api.core.cql.Row

import stoplog.LongRun
import stoplog.cassandra.KeyspaceForTests
import stoplog.cassandra.options.CassandraOptions
import stoplog.cassandra.schema.TableInfo
import stoplog.format.SparkSessionForTests
import stoplog.laws.SplitSourceLaws
import stoplog.source.{ReadLoop, SplitSource}

/** A table read by Spark: every row once, the columns and partitions that a query wants. */
class CassandraSourceSuite extends AnyFunSuite with KeyspaceForTests with SparkSessionForTests {
  private val Rows = 1000

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    SourceTable.fill(this)(Rows)
  }

  private[read] def run(statement: String) = cql(statement)

  private def table(name: String, more: (String, String)*) =
    spark.read.format("stoplog-cassandra").options(options(name, more: _*)).load()

  private def pushed(frame: org.apache.spark.sql.DataFrame): String =
    frame.queryExecution.executedPlan.toString.linesIterator.find(_.contains("PushedKeys")).getOrElse("")

  test("reads every row once, with and without size estimates of the node", LongRun.Only) {
    val sums   = Seq("count(*)", "count(DISTINCT id)", "sum(id)", "sum(length(v))")
    val before = table("wide").selectExpr(sums: _*).head()
    assert(before.getLong(0) === Rows)
    assert(before.getLong(1) === Rows)
    node.estimate(keyspace)
    for ((size, page) <- Seq("1k" -> "5000", "10k" -> "40", "64m" -> "7"))
      assert(
        table("wide", "maxSplitMemorySize" -> size, "datastax-java-driver.basic.request.page-size" -> page)
          .selectExpr(sums: _*)
          .head() === before
      )
    assert(table("wide", "maxSplitMemorySize" -> "1k").rdd.getNumPartitions > 4)
  }

  test("an empty table has no rows") {
    cql("CREATE TABLE %s.empty (id int PRIMARY KEY)")
    assert(table("empty").collect().isEmpty)
  }

  test("reads only the selected columns") {
    val frame = table("wide").select("v")
    assert(frame.queryExecution.executedPlan.toString.contains("wide"))
    assert(frame.collect().length === Rows)
    assert(table("wide").selectExpr("max(v)").head().getString(0) === f"value-${Rows - 1}%05d")
  }

  test("partition-key filters become lookups") {
    val one = table("wide").where("id = 7")
    assert(pushed(one).contains("id = 7"))
    assert(one.collect().map(_.getAs[Int]("id")).toSeq === Seq(7))
    assert(one.rdd.getNumPartitions === 1)
    val some = table("wide").where(col("id").isin(3, 5, 5, 99999999))
    assert(some.collect().map(_.getAs[Int]("id")).toSet === Set(3, 5))
    assert(some.count() === 2)
    assert(table("wide").where("id IN (1, 2) AND id = 2").count() === 1)
    assert(table("wide").where("id = 1 AND id = 2").count() === 0)
    assert(table("wide").where("id = 1 OR id = 2").count() === 2)
    assert(table("wide").where("id > 990").count() === 9)
    val many = (0 until 300).map(_ * 3)
    assert(table("wide").where(col("id").isin(many: _*)).count() === 300)
  }

  test("clustering-column filters select rows within a partition") {
    val both = table("deep").where("a = 1 AND b = 'x' AND c = 3 AND d >= 'd2' AND d < 'd4'")
    assert(pushed(both).contains("d >= 'd2'"))
    assert(both.select("d").collect().map(_.getString(0)).toSet === Set("d2", "d3"))
    assert(table("deep").where("a = 1 AND b = 'x' AND c > 3").count() === 6 * 5)
    // Without the first clustering column the second is Spark's business, without all of the key everything is.
    assert(table("deep").where("a = 1 AND b = 'x' AND d = 'd1'").count() === 10)
    assert(pushed(table("deep").where("a = 1")).contains("PushedKeys: []"))
    assert(table("deep").where("a = 1").count() === 2 * 10 * 5)
    assert(table("deep").where("a IN (0, 1) AND b IN ('x', 'y') AND c = 0").count() === 4 * 5)
  }

  test("filters that Cassandra would evaluate differently stay with Spark", LongRun.Only) {
    cql("CREATE TABLE %s.tricky (k decimal PRIMARY KEY, at timestamp)")
    cql("INSERT INTO %s.tricky (k, at) VALUES (1.00, '2026-01-01')")
    assert(table("tricky").where("k = 1.0").count() === 1)
    cql("CREATE TABLE %s.times (at timestamp PRIMARY KEY)")
    cql("INSERT INTO %s.times (at) VALUES ('2026-01-01 00:00:00.123+0000')")
    assert(table("times").where("at = TIMESTAMP'2026-01-01 00:00:00.123'").count() === 1)
    assert(table("times").where("at = TIMESTAMP'2026-01-01 00:00:00.1234'").count() === 0)
    cql("CREATE TABLE %s.texts (k text PRIMARY KEY)")
    cql("INSERT INTO %s.texts (k) VALUES ('a')")
    assert(table("texts").where("k = ''").count() === 0)
    assert(table("texts").where("k IN ('a', NULL)").count() === 1)
  }

  test("a partition with static columns only is a row without a clustering key") {
    cql("CREATE TABLE %s.statics (p int, c int, s text STATIC, v int, PRIMARY KEY (p, c))")
    cql("INSERT INTO %s.statics (p, s) VALUES (1, 'only')")
    val row = table("statics").head()
    assert(row.getInt(0) === 1 && row.isNullAt(1) && row.getString(2) === "only" && row.isNullAt(3))
  }

  test("a decimal beyond Spark's precision is a named error") {
    cql("CREATE TABLE %s.huge (id int PRIMARY KEY, n varint)")
    cql(s"INSERT INTO %s.huge (id, n) VALUES (1, ${"9" * 40})")
    val e = intercept[Exception](table("huge").collect())
    assert(
      e.getMessage.contains("STOPLOG_REQUEST_FAILED") && e.getMessage.contains("DECIMAL(38, 0)"),
      e.getMessage
    )
  }

  test("a decimal beyond Spark's scale is a named error and is not rounded") {
    cql("CREATE TABLE %s.fine (id int PRIMARY KEY, d decimal)")
    cql("INSERT INTO %s.fine (id, d) VALUES (1, 1.50000000000000000000)")
    assert(table("fine").head().getDecimal(1).compareTo(new java.math.BigDecimal("1.5")) === 0)
    cql("INSERT INTO %s.fine (id, d) VALUES (2, 0.1234567890123456789)")
    val e = intercept[Exception](table("fine").collect())
    assert(
      e.getMessage.contains("STOPLOG_REQUEST_FAILED") && e.getMessage.contains("0.1234567890123456789"),
      e.getMessage
    )
  }
}

/** What every source has to keep. */
class CassandraSourceLaws extends SplitSourceLaws[CassandraSplit, Row, InternalRow] with KeyspaceForTests {
  private val Rows = 400

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    cql("CREATE TABLE %s.wide (id int PRIMARY KEY, v text)")
    for (id <- 0 until Rows) cql(f"INSERT INTO %%s.wide (id, v) VALUES ($id, 'value-$id%05d')")
  }

  test("random token ranges, also across the ring's end, contain every row once") {
    val random = new Random(11)
    for (_ <- 1 to 10) {
      val tokens = Seq.fill(1 + random.nextInt(12))(random.nextLong()).distinct.sorted
      val spans  = tokens.zip(tokens.drop(1) :+ tokens.head).flatMap { case (start, end) =>
        TokenSpan.of(start, end)
      }
      val loop = new ReadLoop(source, random.shuffle(spans).map(TokenSplit(_, 0, Vector.empty)))
      val ids  = Seq.newBuilder[Int]
      while (loop.next()) ids += loop.row.getInt(0)
      loop.close()
      assert(ids.result().sorted === (0 until Rows))
    }
  }

  override def copied(row: InternalRow): InternalRow = row.copy()

  override def source: SplitSource[CassandraSplit, Row, InternalRow] = {
    val options = CassandraOptions.parse(
      this.options("wide", "datastax-java-driver.basic.request.page-size" -> "11").asJava
    )
    val info = TableInfo.of(options)
    new CassandraSplitSource(
      ReadQuery.of(info, ReadColumns.of(info, options), ClusteringFilter.all, options),
      PartitionKeys.All,
      tasks = 3
    )
  }
}

private object SourceTable {

  def fill(suite: CassandraSourceSuite)(rows: Int): Unit = {
    suite.run("CREATE TABLE %s.wide (id int PRIMARY KEY, v text, w bigint)")
    for (id <- 0 until rows) suite.run(f"INSERT INTO %%s.wide (id, v, w) VALUES ($id, 'value-$id%05d', $id)")
    suite.run("CREATE TABLE %s.deep (a int, b text, c int, d text, v int, PRIMARY KEY ((a, b), c, d))")
    for {
      a <- 0 to 2
      b <- Seq("x", "y")
      c <- 0 until 10
      d <- 0 until 5
    }
      suite.run(s"INSERT INTO %s.deep (a, b, c, d, v) VALUES ($a, '$b', $c, 'd$d', 1)")
  }
}
