// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The interface between an engine's frame and the sinks: [[engine.EngineSink]] and its runs, jobs and
  * writers.
  *
  * A frame (for Spark the package `stoplog.spark`) translates the calls of its engine, and a sink implements
  * this interface. [[engine.LedgerRun]] is the run of every sink whose epochs are decided by the commit
  * protocol. The package does not depend on any engine.
  */
package object engine
