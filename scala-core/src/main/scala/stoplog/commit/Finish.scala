// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** What becomes of the parts that are open when a run ends, or that a run finds at its start. */
sealed trait Finish

object Finish {

  /** The driver closes and publishes them. */
  case object PublishOpen extends Finish

  /** They stay open: the next run goes on with them. */
  case object KeepOpen extends Finish
}
