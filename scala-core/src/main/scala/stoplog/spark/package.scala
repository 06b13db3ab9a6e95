// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The integration with Spark's DataSource V2, shared by all sinks and sources: tables, writes, scans and
  * streams.
  *
  * Each class implements a trait of Spark and delegates its calls, to an `EngineSink` for a write and to a
  * `SplitSource` for a read. Options, formats, columns and the ledger are implemented in other packages.
  */
package object spark
