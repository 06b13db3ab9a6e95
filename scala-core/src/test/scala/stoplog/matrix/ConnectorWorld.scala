// SPDX-License-Identifier: Apache-2.0
package stoplog.matrix

import stoplog.fault.Faults

/** A target, and one query that writes to it without an engine: its processes run the connector's own code. */
trait ConnectorWorld extends AutoCloseable {

  /** A new process of the query. */
  def process(faults: Faults): ConnectorWorld.Process

  /** A new process of the query, over a checkpoint that was restored from a copy made before this epoch. `None` if nothing
    * outside of the checkpoint remembers epochs, and an epoch that is planned anew comes twice.
    */
  def restored(epoch: Long): Option[ConnectorWorld.Restored] = None

  /** All processes so far are dead: what they had open is closed, as an operating system does it. */
  def processesDied(): Unit = ()

  /** What a reader sees while the query is under way that no reader should see. */
  def surplus(): Vector[String]

  /** What is wrong once the query has written so many epochs and has ended. */
  def problems(epochs: Long): Vector[String]

  /** How it came out, where nothing is wrong. */
  def result: String = MatrixPage.Result

  override def close(): Unit = ()
}

object ConnectorWorld {

  /** Used by one thread. */
  trait Process {

    /** Writes an epoch, which another process may have begun, or even committed: the engine has not seen the end of it. */
    def epoch(number: Long): Unit

    /** The query has ended. */
    def end(): Unit = ()
  }

  /** A process that has planned an epoch anew, with the rows of [[ConnectorRows.anew]]. */
  trait Restored {

    /** Writes the epoch, or is refused. */
    def write(): Unit

    /** What is wrong afterwards. */
    def problems(fate: ConnectorRows.Anew): Vector[String]
  }
}
