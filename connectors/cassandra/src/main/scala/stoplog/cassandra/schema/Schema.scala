// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.schema

import java.io.IOException
import java.util.concurrent.{ExecutionException, TimeUnit}

import scala.util.control.NonFatal
import scala.util.{Failure, Success, Try}

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.metadata.Metadata

import stoplog.cassandra.client.{CassandraErrors, Connection, RequestCauses, RequestRetries, Sessions}
import stoplog.cassandra.options.CassandraOptions

/** What keyspaces and tables there are.
  *
  * A session that has failed once to ask for it, because it had just lost its connection for that, never asks again: the
  * driver keeps the failed request as the one under way, and whoever comes later waits behind it for ever. So such a session
  * is given up for another.
  */
private[cassandra] object Schema {

  /** As it is now: a session that other queries use may not have heard of a table that was made a moment ago.
    *
    * Error: `STOPLOG_CASSANDRA_CONNECT`, at once if no session can be opened.
    *
    * @param answerMillis how long a session may take
    */
  def now(options: CassandraOptions, answerMillis: Long = AnswerMillis): Metadata = {
    val refresh = refreshed(_, options.connection, answerMillis)
    Sessions.use(options.connection)(session => Try(refresh(session))) match {
      case Success(metadata) => metadata
      case Failure(_)        =>
        RequestRetries(options.retryTimeoutMillis)(() => Sessions.use(options.connection)(refresh))
    }
  }

  private def refreshed(session: CqlSession, connection: Connection, answerMillis: Long): Metadata =
    try session.refreshSchemaAsync().toCompletableFuture.get(answerMillis, TimeUnit.MILLISECONDS)
    catch {
      case NonFatal(e) =>
        Sessions.retire(connection, session)
        val cause = causeOf(e)
        throw CassandraErrors.connect(connection.describe, RequestCauses.describe(cause), cause)
    }

  private def causeOf(e: Throwable): Throwable = e match {
    case wrapper: ExecutionException => causeOf(wrapper.getCause)
    // While the driver has no node to ask, and looks for one.
    case state: IllegalStateException => new IOException(state.getMessage, state)
    case other                        => other
  }

  // The driver waits for the nodes to agree, for up to ten seconds, and then asks several tables.
  private final val AnswerMillis = 30000L
}
