// SPDX-License-Identifier: Apache-2.0
package stoplog.error

import java.io.IOException
import java.sql.{SQLException, SQLTransientException}

import scala.jdk.CollectionConverters._

/** Stands for an exception whose message has a secret in it: Spark prints causes whole. */
private[error] final class RedactedCause private (original: String, message: String, cause: Throwable)
    extends RuntimeException(message, cause) {
  override def toString: String = if (message == null) original else s"$original: $message"
}

private[error] object RedactedCause {

  /** The exception itself, unless it or what is behind it says something that the redaction hides. */
  def of(e: Throwable, text: String => String): Throwable = of(e, text, Deepest)

  private def of(e: Throwable, text: String => String, depth: Int): Throwable =
    if (e == null || depth == 0) null
    else {
      val before  = behind(e)
      val after   = before.map(of(_, text, depth - 1))
      val beside  = e.getSuppressed.toSeq
      val open    = beside.map(of(_, text, depth - 1))
      val message = Option(e.getMessage).map(text)
      val isSame  = (before ++ beside).zip(after ++ open).forall { case (was, is) => was eq is }
      if (message == Option(e.getMessage) && isSame) e
      else {
        val cause = before.zip(after).collectFirst { case (was, is) if was eq e.getCause => is }.orNull
        val made  = like(e, message.orNull, cause, text)
        made.setStackTrace(e.getStackTrace)
        open.filter(_ != null).foreach(made.addSuppressed)
        e match {
          case sql: SQLException =>
            val next = before.zip(after).collectFirst {
              case (was, is: SQLException) if was eq sql.getNextException => is
            }
            next.foreach(made.asInstanceOf[SQLException].setNextException)
          case _ => ()
        }
        made
      }
    }

  private def behind(e: Throwable): Seq[Throwable] = e match {
    case sql: SQLException => Seq(sql.getCause, sql.getNextException).filter(_ != null)
    case other             => Option(other.getCause).toSeq
  }

  /** An exception of the same kind where callers ask for it: kind and state say whether another try may help. */
  private def like(e: Throwable, message: String, cause: Throwable, text: String => String): Throwable = {
    def parameters(all: java.util.Map[String, String]) = all.asScala.toMap.map { case (name, value) =>
      name -> text(value)
    }
    e match {
      case own: StoplogException =>
        new StoplogException(own.getCondition, parameters(own.getMessageParameters), Option(cause))
      case own: StoplogArgumentException =>
        new StoplogArgumentException(own.getCondition, parameters(own.getMessageParameters), Option(cause))
      case sql: SQLTransientException =>
        new SQLTransientException(message, sql.getSQLState, sql.getErrorCode, cause)
      case sql: SQLException => new SQLException(message, sql.getSQLState, sql.getErrorCode, cause)
      case _: IOException    => new IOException(message, cause)
      case other             => new RedactedCause(other.getClass.getName, message, cause)
    }
  }

  private final val Deepest = 100
}
