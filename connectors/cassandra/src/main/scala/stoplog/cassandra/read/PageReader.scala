// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.read

import java.util.concurrent.TimeUnit
import java.util.concurrent.locks.ReentrantLock

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import com.datastax.oss.driver.api.core.{CqlSession, DriverException, DriverTimeoutException}
import com.datastax.oss.driver.api.core.cql.{
  AsyncResultSet, BoundStatement, PreparedStatement, Row, SimpleStatement
}

import stoplog.cassandra.client.{CassandraErrors, RequestCauses, RequestRetries}
import stoplog.source.{Fetched, SplitReader}

/** Reads splits page by page, and requests the next page while the current page is processed.
  *
  * A reader that stops early resumes with the same page, because the paging state is stored in the request
  * for the next page.
  *
  * @param answerMillis the time limit of a response before the page is requested again; must exceed the
  *                     driver's own timeout
  * @param release      releases the session
  */
private[cassandra] final class PageReader(
    query: ReadQuery,
    session: CqlSession,
    answerMillis: Long,
    release: () => Unit
) extends SplitReader[CassandraSplit, Row] {
  // The number of partitions that are requested concurrently, by key.
  private final val Ahead = 16

  private val retries                  = RequestRetries(query.options.retryTimeoutMillis)
  private val waiting                  = mutable.ArrayDeque.empty[PageRequest]
  private val inFlight                 = mutable.ArrayDeque.empty[PageRequest]
  private lazy val byTokens            = prepare(query.byTokens)
  private lazy val byKey               = prepare(query.byKey)
  private val lock                     = new ReentrantLock
  private val changed                  = lock.newCondition()
  @volatile private var woken: Boolean = false

  override def add(splits: Seq[CassandraSplit]): Unit = splits.foreach {
    case split @ TokenSplit(span, _, _) =>
      waiting += new PageRequest(
        split,
        () => byTokens.boundStatementBuilder().setLong(0, span.after).setLong(1, span.until).build()
      )
    case split @ KeySplit(keys) =>
      keys.foreach(key => waiting += new PageRequest(split, () => keyStatement(key)))
  }

  override def fetch(): Fetched[CassandraSplit, Row] = {
    while (inFlight.size < Ahead && waiting.nonEmpty && (inFlight.isEmpty || waiting.head.isSmall))
      inFlight += waiting.removeHead().begin()
    if (inFlight.isEmpty) Fetched.Finished
    else if (!arrived(inFlight.head)) Fetched.Nothing
    else {
      val page = inFlight.head.take()
      if (!page.hasMorePages) inFlight.removeHead()
      if (inFlight.isEmpty && waiting.nonEmpty) inFlight += waiting.removeHead().begin()
      new Page(page)
    }
  }

  override def wakeUp(): Unit = {
    woken = true
    signal()
  }

  override def close(): Unit = release()

  /** Waits for a response; returns false if woken up first. Retries transient failures. */
  private def arrived(request: PageRequest): Boolean = {
    var ready = false
    var over  = false
    while (!ready && !over)
      if (woken) {
        woken = false
        over = true
      } else
        request.state match {
          case None             => waitFor(request)
          case Some(Success(_)) => ready = true
          case Some(Failure(e)) => request.again(e)
        }
    ready
  }

  private def waitFor(request: PageRequest): Unit =
    if (!news(answerMillis)(request.state.isEmpty)) request.failIfOverdue()

  private def pause(millis: Long): Unit = {
    news(millis)(condition = true)
    ()
  }

  /** Waits while the condition holds, until an event or the timeout; returns false after a timeout. */
  private def news(millis: Long)(condition: => Boolean): Boolean = {
    lock.lock()
    try woken || !condition || changed.await(millis, TimeUnit.MILLISECONDS)
    finally lock.unlock()
  }

  private def signal(): Unit = {
    lock.lock()
    try changed.signalAll()
    finally lock.unlock()
  }

  private def prepare(cql: String): PreparedStatement = {
    val select = SimpleStatement
      .newInstance(cql)
      .setIdempotent(true)
      .setConsistencyLevel(query.options.consistency)
    try retries(() => session.prepare(select))
    catch { case e: DriverException => throw CassandraErrors.table(query.table, RequestCauses.describe(e)) }
  }

  private def keyStatement(key: Vector[java.nio.ByteBuffer]): BoundStatement = {
    val values  = key ++ query.within.values.map(java.nio.ByteBuffer.wrap(_))
    val builder = byKey.boundStatementBuilder()
    values.zipWithIndex.foreach { case (value, at) => builder.setBytesUnsafe(at, value) }
    builder.build()
  }

  /** A statement, from its first page to its last. */
  private final class PageRequest(split: CassandraSplit, statement: () => BoundStatement) {
    private var request: BoundStatement = _
    private var begunNanos              = 0L
    private var tries                   = 0

    // Only the response to the last request counts.
    @volatile private var last: Sent = new Sent

    /** The response, if received. */
    def state: Option[Try[AsyncResultSet]] = last.state

    def isSmall: Boolean = split.isInstanceOf[KeySplit]

    def begin(): this.type = {
      request = statement()
      requestNext()
      this
    }

    /** Returns the received page and requests the next page. */
    def take(): AsyncResultSet = state match {
      case Some(Success(page)) =>
        if (page.hasMorePages) {
          request = request.setPagingState(page.getExecutionInfo.getPagingState)
          requestNext()
        }
        page
      case other => throw new IllegalStateException(s"no page: $other")
    }

    /** Fails a request whose response the driver has lost, so that the page is requested again. */
    def failIfOverdue(): Unit = last.failIfOverdue()

    def again(e: Throwable): Unit = {
      val elapsedMillis = (System.nanoTime() - begunNanos) / 1000000
      val pauseMillis = if (RequestCauses.isTransient(e)) retries.pauseMillis(tries, elapsedMillis) else None
      pause(
        pauseMillis.getOrElse(
          throw CassandraErrors.read(query.table, split.describe, RequestCauses.describe(e), e)
        )
      )
      if (!woken) send()
    }

    private def requestNext(): Unit = {
      begunNanos = System.nanoTime()
      tries = 0
      send()
    }

    private def send(): Unit = {
      tries += 1
      val now = new Sent
      last = now
      session.executeAsync(request).whenComplete { (page, failed) =>
        now.answered(if (failed == null) Success(page) else Failure(failed))
      }
      ()
    }
  }

  /** A request in flight. */
  private final class Sent {
    private val nanos            = System.nanoTime()
    @volatile private var answer = Option.empty[Try[AsyncResultSet]]

    def state: Option[Try[AsyncResultSet]] = answer

    def answered(now: Try[AsyncResultSet]): Unit = {
      answer = Some(now)
      signal()
    }

    def failIfOverdue(): Unit =
      if (answer.isEmpty && System.nanoTime() - nanos >= answerMillis * 1000000)
        answered(Failure(new DriverTimeoutException(s"no response in $answerMillis ms")))
  }

  private final class Page(page: AsyncResultSet) extends Fetched.Records[CassandraSplit, Row] {
    private val rows         = page.currentPage().iterator()
    private var current: Row = _

    override def advance(): Boolean = rows.hasNext && {
      current = rows.next()
      true
    }

    override def record: Row = current

    /** In a changing table, the remaining rows of a split are indistinguishable from rows that were added
      * since.
      */
    override def rest: Option[CassandraSplit] = None
  }
}
