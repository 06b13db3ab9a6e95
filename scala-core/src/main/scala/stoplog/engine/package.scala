// SPDX-License-Identifier: Apache-2.0
package stoplog

/** The seam between the frame of an engine and the sinks: [[engine.EngineSink]] and its runs, jobs and writers.
  *
  * A frame (for Spark the package `stoplog.spark`) turns the calls of its engine into these, and a sink implements them.
  * [[engine.LedgerRun]] is the run of every sink whose epochs the commit protocol decides. The package names no engine.
  */
package object engine
