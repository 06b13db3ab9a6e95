// SPDX-License-Identifier: Apache-2.0
package stoplog

/** How a query was stopped. In each case no row is lost, and none repeated. */
sealed trait Stopped

object Stopped {

  /** Between two micro-batches, and its sink has done what it does at the end. */
  case object BetweenBatches extends Stopped

  /** Time was up in the middle of a micro-batch, which the next start does again. Its sink has done what it does at the
    * end.
    */
  case object InBatch extends Stopped

  /** Time was up before its sink had done what it does at the end: it goes on with it as long as its process lives, and
    * then the next start does.
    */
  case object Ending extends Stopped
}
