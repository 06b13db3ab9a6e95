// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The commit protocol of `docs/correctness/protocol.md`, without an engine and without a storage.
  *
  * [[commit.SinkDriver]] is the driver of a streaming query, [[commit.JobCommit]] of a batch job,
  * [[commit.CompactionJob]] of the batch compaction, and [[commit.ToolRun]] of an operator's command. Each
  * driver decides, and passes its decision to one of two classes that write records. [[commit.Ledger]] writes
  * to the log of one sink or job, [[commit.Replacements]] to the log of the jobs that replace files.
  * Tasks write parts with package `writing`, by a plan of package `plan`.
  *
  * The package depends on the log, parts and the two traits of a storage. It does not depend on Spark,
  * Hadoop, formats or options. Engines drive the package, and so do the simulator and the crash matrix with
  * test storages.
  */
package object commit
