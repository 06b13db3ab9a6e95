// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.CommitLog
import stoplog.store.{FinishedStore, NoteStore, PartStore, SideStore}

/** All that is stored of one sink of files. */
final case class SinkStores(
    log: CommitLog,
    parts: PartStore,
    sides: SideStore,
    finished: FinishedStore,
    notes: NoteStore
)
