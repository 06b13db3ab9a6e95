// SPDX-License-Identifier: Apache-2.0
package stoplog.source.log

import java.io.{InputStream, OutputStream}

import stoplog.log.PutOutcome

/** The files of a source's state, in a directory of its checkpoint. Of any storage; each file is whole or not there. */
trait StateFiles extends Serializable {

  /** The names that are there, in ascending order. */
  def list(): Vector[String]

  /** Error: `FileNotFoundException`. */
  def open(name: String): InputStream

  /** Makes a file, whole and durable, unless there is one: of several callers, on any machines, one is told `Created`.
    */
  def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome

  /** Removing what is not there is not an error. */
  def delete(name: String): Unit

  /** A directory in this one. */
  def in(directory: String): StateFiles

  /** Where the file is, for messages. */
  def describe(name: String): String
}
