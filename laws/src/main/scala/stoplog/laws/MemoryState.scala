// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, FileNotFoundException, InputStream, OutputStream}

import scala.collection.mutable

import stoplog.storage.{NoFiles, PutOutcome}
import stoplog.source.StateFiles

/** The state of a source in memory, by the paths of its files. The state survives the drivers that use it.
  *
  * @param directory the directory of this view: `""`, or a path that ends with a slash
  */
final class MemoryState(val files: mutable.Map[String, Array[Byte]], directory: String)
    extends StateFiles(NoFiles) {
  def this() = this(mutable.TreeMap.empty[String, Array[Byte]], "")

  /** Called before a file is created; tests may throw an exception here. */
  var beforePut: String => Unit = _ => ()

  /** Called before a file is opened; tests may simulate concurrent changes here. */
  var beforeOpen: String => Unit = _ => ()

  override def list(): Vector[String] =
    files.keys
      .filter(_.startsWith(directory))
      .map(_.drop(directory.length))
      .filterNot(_.contains('/'))
      .toVector
      .sorted

  override def open(name: String): InputStream = {
    beforeOpen(directory + name)
    new ByteArrayInputStream(files.getOrElse(directory + name, throw new FileNotFoundException(name)))
  }

  override def putIfAbsent(name: String)(write: OutputStream => Unit): PutOutcome = {
    beforePut(directory + name)
    if (files.contains(directory + name)) PutOutcome.Taken
    else {
      val bytes = new ByteArrayOutputStream()
      write(bytes)
      files(directory + name) = bytes.toByteArray
      PutOutcome.Created
    }
  }

  override def delete(name: String): Unit = files -= directory + name

  override def in(below: String): StateFiles = {
    val made = new MemoryState(files, s"$directory$below/")
    made.beforePut = name => beforePut(name)
    made.beforeOpen = name => beforeOpen(name)
    made
  }

  override def describe(name: String): String = s"memory:$directory$name"
}
