// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.{LogRecord, RecordOutcome}

/** Receives each record of a run once its parts are visible. MUST return at once, and MUST NOT throw. */
private[stoplog] trait Announcing {

  /** Called after the claim of a run. Unless the run is fenced, all later records belong to the run. */
  def claimed(seq: Long): Unit = ()

  /** Called after each record, in order. */
  def settled(record: LogRecord, outcome: => RecordOutcome): Unit

  /** Called if the record of any process was carried out, and all earlier records. */
  def recovered(newest: Long): Unit

  /** Returns the first record that targets need. The log keeps this record and all later records.
    *
    * @param newest the newest record
    */
  def keepFrom(newest: Long): Long
}

private[stoplog] object Announcing {

  /** For a sink without targets. */
  case object Nothing extends Announcing {
    override def settled(record: LogRecord, outcome: => RecordOutcome): Unit = ()
    override def recovered(newest: Long): Unit                               = ()
    override def keepFrom(newest: Long): Long                                = Long.MaxValue
  }
}
