// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import stoplog.commit.Finish

/** A run that has something to do before the first epoch, between epochs, and after the last one. */
private[stoplog] trait LastingRun[R, M] extends EngineRun[R, M] {

  /** The query has started; it may be long until it has an epoch.
    *
    * @param seenSeq the newest record of an earlier run
    */
  def waitFrom(seenSeq: Long): Unit

  /** The query is to be stopped: it begins no other epoch.
    *
    * @param open what becomes of open parts; `None` for what the options say
    */
  def stopAtNextEpoch(open: Option[Finish]): Unit

  /** Whether the query would begin an epoch now, and waits to be stopped. */
  def isHeld: Boolean

  /** The engine has committed an epoch. */
  def progressed(progress: Progress): Unit

  /** The query has ended. Never throws: the next start does what this one leaves undone.
    *
    * @param exception the words of the query's failure, if it failed
    */
  def end(exception: Option[String]): Unit

  /** The application ends, maybe in the middle of an epoch, which the run then leaves alone. */
  def endIfIdle(): Unit
}

/** @param watermarkMillis with which the epoch was run; 0 before the first, and `None` in a query without one
  * @param rows            that the epoch has read
  */
private[stoplog] final case class Progress(watermarkMillis: Option[Long], rows: Long)

/** The newest decision of an earlier run of a query, from its log.
  *
  * @param seq     of the newest record
  * @param trigger of the earlier run
  */
private[stoplog] final case class EarlierDecision(seq: Long, trigger: QueryTrigger)
