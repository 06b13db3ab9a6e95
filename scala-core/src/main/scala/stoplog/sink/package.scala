// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The public interface of sinks with two-phase commits: a task prepares output, and the driver commits the
  * output of a record.
  *
  * Connectors implement this interface, and users may. A store of parts shares the trait
  * [[sink.StagedOutput]]. The package does not depend on logs, Spark or options.
  */
package object sink
