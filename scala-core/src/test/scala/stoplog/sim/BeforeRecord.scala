// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.log.LogRecord

/** The state of an [[Oracle]] before a record. */
private[sim] final case class BeforeRecord(
    seq: Long,
    newest: Option[LogRecord],
    rows: Set[String],
    epochs: Set[Long],
    toPublish: Set[String],
    replacing: Set[String],
    undeletable: Map[String, Long]
)
