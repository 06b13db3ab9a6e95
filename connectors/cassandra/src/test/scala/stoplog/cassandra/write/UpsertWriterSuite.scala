// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.write

import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.CqlSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import stoplog.LongRun
import stoplog.cassandra.schema.TableInfo
import stoplog.error.StoplogException
import stoplog.cassandra.{KeyspaceForTests, ProxiedSession}
import stoplog.cassandra.options.CassandraOptions
import stoplog.fault.Faults

/** A task's rows on their way to a real node, by a session that counts. */
class UpsertWriterSuite extends AnyFunSuite with KeyspaceForTests {
  private val schema = new StructType().add("p", IntegerType).add("c", IntegerType).add("v", StringType)

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    cql("CREATE TABLE %s.counted (p int, c int, v text, PRIMARY KEY (p, c))")
    ()
  }

  private def write(rows: Seq[(Int, Int, String)], micros: Long): Unit = {
    val options = CassandraOptions.parse(
      this.options("counted", "datastax-java-driver.basic.request.timeout" -> "60 seconds").asJava
    )
    val plan   = WritePlan.of(TableInfo.of(options), schema, options)
    val writer = new UpsertWriter(plan, session, options, Some(micros), Faults.none)
    rows.foreach { case (p, c, v) => writer.write(InternalRow(p, c, UTF8String.fromString(v))) }
    writer.finish()
    ()
  }

  /** Requests under way, as the session sees them. */
  private final class Counting {
    val underWay = new AtomicInteger
    val most     = new AtomicInteger
    val all      = new AtomicInteger

    val session: CqlSession = ProxiedSession.of(UpsertWriterSuite.this.session) { request =>
      all.incrementAndGet()
      most.accumulateAndGet(underWay.incrementAndGet(), math.max(_, _))
      // Before the writer hears of it: so it may send the next.
      request().whenComplete { (_, _) =>
        underWay.decrementAndGet()
        ()
      }
    }
  }

  private def written(rows: Seq[(Int, Int)], more: (String, String)*): Counting = {
    val options =
      CassandraOptions.parse(
        this
          .options("counted", more :+ "datastax-java-driver.basic.request.timeout" -> "60 seconds": _*)
          .asJava
      )
    val plan     = WritePlan.of(TableInfo.of(options), schema, options)
    val counting = new Counting
    val writer   = new UpsertWriter(plan, counting.session, options, Some(1000L), Faults.none)
    rows.foreach { case (p, c) => writer.write(InternalRow(p, c, UTF8String.fromString(s"$p-$c"))) }
    assert(writer.finish().rows === rows.size)
    assert(counting.underWay.get === 0)
    counting
  }

  private def count(p: Int): Long = cql(s"SELECT COUNT(*) FROM %s.counted WHERE p = $p").head.getLong(0)

  test("concurrent requests stay within maxInFlight for fast rows") {
    val counting = written((0 until 3000).map(1 -> _), "maxInFlight" -> "4", "maxBatchSize" -> "1")
    assert(counting.all.get === 3000)
    assert(counting.most.get <= 4)
    assert(counting.most.get > 1)
    assert(count(1) === 3000)
  }

  test("rows of a partition share requests up to the limits of rows and bytes") {
    val rows = for {
      c <- 0 until 100
      p <- 10 until 20
    } yield p -> c
    assert(written(rows, "maxBatchSize" -> "1m").all.get === 10 * 4, "of 100 rows each, 32 a request")
    assert(written(rows, "maxBatchSize" -> "1").all.get === 1000)
    assert((10 until 20).forall(count(_) == 100))
  }

  test("rows of distant partitions do not wait for each other") {
    val rows = (0 until 5000).map(p => 1000 + p -> 0)
    assert(written(rows).all.get === 5000)
  }

  private val sharing = StructType.fromDDL("p INT, c INT, s STRING, at BIGINT")

  /** Writes rows of the table `shared`. */
  private def share(more: (String, String)*)(rows: (Int, Int, String)*): Unit = {
    val options = CassandraOptions.parse(this.options("shared", more: _*).asJava)
    val plan    = WritePlan.of(TableInfo.of(options), sharing, options)
    val writer  = new UpsertWriter(plan, session, options, Some(7000L), Faults.none)
    rows.foreach { case (p, c, s) => writer.write(InternalRow(p, c, UTF8String.fromString(s), 9L)) }
    writer.finish(): Unit
  }

  test("the later value of a static column wins, also from another row of the partition") {
    cql("CREATE TABLE %s.shared (p int, c int, s text STATIC, at bigint, PRIMARY KEY (p, c))")
    def found(p: Int) = cql(s"SELECT DISTINCT s FROM %s.shared WHERE p = $p").map(_.getString(0))
    share()((1, 1, "z"), (1, 2, "a"))
    share("writeTimestamp" -> "server")((2, 1, "z"), (2, 2, "a"))
    assert(found(1) ++ found(2) === Seq("a", "a"))
    val timed = "writeTimestamp" -> "column at"
    share(timed)((3, 1, "same"), (3, 2, "same"), (3, 3, null))
    assert(
      intercept[StoplogException](share(timed)((4, 1, "z"), (4, 2, "a"))).getCondition === "STOPLOG_BAD_ROW"
    )
    val deleting = intercept[StoplogException](share(timed, "nulls" -> "delete")((5, 1, "z"), (5, 2, null)))
    assert(deleting.getCondition === "STOPLOG_BAD_ROW")
  }

  test("a repeated task with other keys reordered leaves the later row of each key", LongRun.Only) {
    val keys   = 0 until 50
    val others = (0 until 60000).map(at => (900001 + at % 600, at, "x"))
    // The first attempt is broken off between the rows of the keys.
    write(others ++ keys.map((900000, _, "z-earlier")), micros = 2000L)
    write(keys.map((900000, _, "z-earlier")) ++ keys.map((900000, _, "a-later")) ++ others, micros = 2000L)
    val found = cql("SELECT v FROM %s.counted WHERE p = 900000").map(_.getString(0))
    assert(found === keys.map(_ => "a-later"))
  }
}
