// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The frame of Spark's DataSource V2, once for all sinks and sources: tables, writes, scans and streams.
  *
  * Each class here implements a trait of Spark and translates its calls, to an `EngineSink` for a write and to a
  * `SplitSource` for a read. It decides nothing: options, formats, columns and the ledger are behind it.
  */
package object spark
