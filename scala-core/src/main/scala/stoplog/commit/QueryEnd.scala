// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** Step 9 as an engine asks for it: the end of a query, which may have given an epoch up.
  *
  * Behind such an epoch no part has an owner (step 7), so the run that wrote them could close them in a copy only. The next
  * start of the query need not copy: it claims, and then looks for writers (I1). So where the copies are large, the run
  * ends with its parts open, and a run of its own claims behind it and closes them, as that start would. A crash between the two
  * leaves the parts to the next start.
  *
  * @param driver          of the run that ends
  * @param successor       makes the driver of another run, of the same query and sink; `None` where no part stays open
  * @param copyAtMostBytes of one part; above that the successor ends the query. Below, its two records cost more than they save
  */
private[stoplog] final class QueryEnd(
    driver: SinkDriver,
    successor: Option[() => SinkDriver],
    copyAtMostBytes: Long = QueryEnd.CopyAtMostBytes
) {

  @volatile private var last = driver

  /** The figures of the query, those of its end included. */
  def stats: SinkStats = last.stats

  /** Answers whether the open parts are finished, if they had to be: a run that has lost the log does nothing more. Errors:
    * those of [[SinkDriver.end]].
    */
  def end(finish: Finish): Boolean = unlessOver(finish) {
    successor match {
      case Some(begin) if finish == Finish.PublishOpen && driver.largestDoubtfulBytes > copyAtMostBytes =>
        driver.end(Finish.KeepOpen).foreach(endBehind(_, begin(), finish))
      case _ => driver.end(finish)
    }
    true
  }

  /** The same when the process ends; see [[SinkDriver.endIfIdle]]. */
  def endIfIdle(finish: Finish): Boolean = unlessOver(finish)(driver.endIfIdle(finish))

  private def unlessOver(finish: Finish)(end: => Boolean): Boolean = {
    val wasOver = driver.isOver
    end && (!wasOver || finish == Finish.KeepOpen)
  }

  /** @param released the record with which the run has ended */
  private def endBehind(released: Long, next: SinkDriver, finish: Finish): Unit = {
    next.waitFrom(released, driver.stats)
    last = next
    next.end(finish)
    ()
  }
}

private[stoplog] object QueryEnd {
  private val CopyAtMostBytes = 4L << 20
}
