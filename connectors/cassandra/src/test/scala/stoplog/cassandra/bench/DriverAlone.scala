// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.bench

import java.util.concurrent.{Executors, Semaphore}

import scala.concurrent.{Await, ExecutionContext, Future}
import scala.concurrent.duration.Duration

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.cql.{AsyncResultSet, Row, SimpleStatement}

import stoplog.cassandra.read.TokenSpan

/** What a program does without Spark and without stoplog: as many threads, requests and rows, the same statements. */
private[bench] final class DriverAlone(session: CqlSession, threads: Int, maxInFlight: Int) {

  /** Writes rows one by one, so many under way in each thread. */
  def write(table: BenchTable, rows: Long): Unit = {
    val prepared = session.prepare(SimpleStatement.newInstance(table.insert).setIdempotent(true))
    val micros   = System.currentTimeMillis() * 1000
    inThreads { thread =>
      val room = new Semaphore(maxInFlight)
      var id   = rows * thread / threads
      while (id < rows * (thread + 1) / threads) {
        room.acquire()
        val bound = table.bind(prepared.boundStatementBuilder(), id)
        session.executeAsync(bound.setLong(table.columns, micros).build()).whenComplete { (_, failed) =>
          if (failed != null) failed.printStackTrace()
          room.release()
        }
        id += 1
      }
      room.acquire(maxInFlight)
      0L
    }
    ()
  }

  /** Reads all rows, the next page on its way while one is worked on; how many there are. */
  def scan(table: BenchTable): Long = {
    val prepared =
      session.prepare(SimpleStatement.newInstance(table.select).setIdempotent(true).setPageSize(5000))
    inThreads { thread =>
      val span  = TokenSpan.Ring.piece(thread, threads)
      val first = session.executeAsync(prepared.bind(span.after, span.until)).toCompletableFuture.join()
      var found = 0L
      var page  = Option(first)
      while (page.isDefined) {
        val next = page.filter(_.hasMorePages).map(_.fetchNextPage())
        found += work(page.get, table)
        page = next.map(_.toCompletableFuture.join())
      }
      found
    }
  }

  private def work(page: AsyncResultSet, table: BenchTable): Long = {
    val rows  = page.currentPage().iterator()
    var found = 0L
    var sum   = 0L
    while (rows.hasNext) {
      sum += table.read(rows.next(): Row)
      found += 1
    }
    // So that no compiler thinks that nobody wants the values.
    if (sum == Long.MinValue) println(sum)
    found
  }

  private def inThreads(task: Int => Long): Long = {
    val pool                          = Executors.newFixedThreadPool(threads)
    implicit val on: ExecutionContext = ExecutionContext.fromExecutor(pool)
    try Await.result(Future.sequence((0 until threads).map(n => Future(task(n)))), Duration.Inf).sum
    finally pool.shutdown()
  }
}
