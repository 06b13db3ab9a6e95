// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** Step 9, called by an engine: ends a query, which may have abandoned an epoch.
  *
  * After an abandoned epoch no part has an owner (step 7), so the run that wrote the parts can close them
  * only in a copy. The next start of the query needs no copy: the start claims the log, and then looks for
  * writers (I1). So if the copies are large, the run ends with open parts. A successor run claims the log and
  * closes the parts, as the next start would. After a crash between the two runs, the next start closes the
  * parts.
  *
  * @param driver          the driver of the run that ends
  * @param successor       creates the driver of another run of the same query and sink; `None` if no part
  *                        stays open
  * @param copyAtMostBytes the limit for one part; above this limit the successor ends the query. Below the
  *                        limit, two more records cost more than the copy
  */
private[stoplog] final class EndOfQuery(
    driver: SinkDriver,
    successor: Option[() => SinkDriver],
    copyAtMostBytes: Long = EndOfQuery.CopyAtMostBytes
) {

  @volatile private var last = driver

  /** Returns the figures of the query, including its end. */
  def stats: SinkStats = last.stats

  /** Ends the query. Returns whether the open parts are finished as required: a run that has lost the log
    * does nothing more. Errors: those of [[SinkDriver.end]].
    */
  def end(finish: Finish): Boolean = unlessOver(finish) {
    successor match {
      case Some(begin) if finish == Finish.PublishOpen && driver.largestDoubtfulBytes > copyAtMostBytes =>
        driver.end(Finish.KeepOpen).foreach(endBehind(_, begin(), finish))
      case _ => driver.end(finish)
    }
    true
  }

  /** Ends the query when the process ends; see [[SinkDriver.endIfIdle]]. */
  def endIfIdle(finish: Finish): Boolean = unlessOver(finish)(driver.endIfIdle(finish))

  private def unlessOver(finish: Finish)(end: => Boolean): Boolean = {
    val wasOver = driver.isOver
    end && (!wasOver || finish == Finish.KeepOpen)
  }

  /** @param released the last record of the ended run */
  private def endBehind(released: Long, next: SinkDriver, finish: Finish): Unit = {
    next.waitFrom(released, driver.stats)
    last = next
    next.end(finish)
    ()
  }
}

private[stoplog] object EndOfQuery {
  private val CopyAtMostBytes = 4L << 20
}
