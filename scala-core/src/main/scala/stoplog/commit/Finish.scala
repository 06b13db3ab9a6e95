// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

/** The treatment of parts that are open at the end of a run, or that a run finds at its start. */
sealed trait Finish

object Finish {

  /** The driver closes and publishes them. */
  case object PublishOpen extends Finish

  /** They stay open: the next run goes on with them. */
  case object KeepOpen extends Finish
}
