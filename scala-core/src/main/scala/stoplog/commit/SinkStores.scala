// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import stoplog.log.CommitLog
import stoplog.storage.{FileStore, PartStore, ReplacedFiles, SpoolFiles}

/** All that is stored of one sink of files. */
final case class SinkStores(
    log: CommitLog,
    parts: PartStore,
    sides: SpoolFiles,
    finished: ReplacedFiles,
    notes: FileStore
)
