// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.util.concurrent.{CompletableFuture, CompletionStage}
import java.util.concurrent.atomic.AtomicInteger

import scala.jdk.CollectionConverters._

import com.datastax.oss.driver.api.core.cql.Row
import com.datastax.oss.driver.api.core.servererrors.InvalidQueryException
import org.scalatest.funsuite.AnyFunSuite

import stoplog.cassandra.schema.TableInfo
import stoplog.cassandra.{KeyspaceForTests, ProxiedSession}
import stoplog.cassandra.options.CassandraOptions
import stoplog.error.StoplogException
import stoplog.source.Fetched

/** Pages that fail, and readers that are left early. */
class PageReaderSuite extends AnyFunSuite with KeyspaceForTests {
  private val Rows = 300

  override protected def beforeAll(): Unit = {
    super.beforeAll()
    cql("CREATE TABLE %s.paged (id int PRIMARY KEY)")
    for (id <- 0 until Rows) cql(s"INSERT INTO %s.paged (id) VALUES ($id)")
  }

  private type Request = () => CompletionStage[AnyRef]

  private def reader(
      request: Request => CompletionStage[AnyRef],
      answerMillis: Long = 60000
  ): PageReader = {
    val options = CassandraOptions.parse(
      this.options("paged", "datastax-java-driver.basic.request.page-size" -> "13").asJava
    )
    val info  = TableInfo.of(options)
    val query = ReadQuery.of(info, ReadColumns.of(info, options), ClusteringFilter.all, options)
    val made  = new PageReader(query, ProxiedSession.of(session)(request), answerMillis, () => ())
    made.add((0 until 3).map(part => TokenSplit(TokenSpan.Ring.piece(part, 3), 0, Vector.empty)))
    made
  }

  private def rows(reader: PageReader, beforeFetch: () => Unit = () => ()): Seq[Int] = {
    val found = Seq.newBuilder[Int]
    var over  = false
    while (!over) {
      beforeFetch()
      reader.fetch() match {
        case page: Fetched.Records[CassandraSplit, Row] =>
          while (page.advance()) found += page.record.getInt(0)
        case Fetched.Nothing  => ()
        case Fetched.Finished => over = true
      }
    }
    found.result().sorted
  }

  test("a page with a transient failure is retried without other pages") {
    val asked = new AtomicInteger
    val pages = reader { request =>
      if (asked.getAndIncrement() % 3 == 1)
        CompletableFuture.failedFuture(new java.io.IOException("the connection is gone"))
      else request()
    }
    assert(rows(pages) === (0 until Rows))
    assert(asked.get < 2 * (Rows / 13 + 3 * 2))
  }

  test("a page without a response is requested again") {
    val asked = new AtomicInteger
    val pages = reader(
      request => if (asked.getAndIncrement() == 1) new CompletableFuture[AnyRef] else request(),
      answerMillis = 2000
    )
    assert(rows(pages) === (0 until Rows))
  }

  test("a permanently failed page reports the token range") {
    val e = intercept[StoplogException](
      rows(reader(_ => CompletableFuture.failedFuture(new InvalidQueryException(null, "no such column"))))
    )
    assert(e.getCondition === "STOPLOG_REQUEST_FAILED")
    assert(e.getMessage.contains("the tokens (-9223372036854775808, "))
  }

  test("a reader woken before each page continues reading") {
    val pages = reader(_())
    var turn  = 0
    assert(rows(pages, () => { turn += 1; if (turn % 2 == 0) pages.wakeUp() }) === (0 until Rows))
  }
}
