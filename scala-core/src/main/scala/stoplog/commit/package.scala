// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The commit protocol of `docs/correctness/protocol.md`, without an engine and without a storage.
  *
  * [[commit.SinkDriver]] is the driver of a streaming query, [[commit.JobCommit]] of a batch job,
  * [[commit.CompactionJob]] of the batch compaction, and [[commit.ToolRun]] of an operator's command. Each of them
  * decides, and passes its decision to one of two classes that write records: [[commit.Ledger]] for the log of one sink or
  * job, [[commit.Replacements]] for the log of the jobs that replace files. [[commit.TaskWriter]] is the half of a task.
  *
  * The package knows the log, parts and the two traits of a storage. It knows neither Spark nor Hadoop, no format and no
  * option: engines drive it, and the simulator and the crash matrix do so with storages of their own.
  */
package object commit
