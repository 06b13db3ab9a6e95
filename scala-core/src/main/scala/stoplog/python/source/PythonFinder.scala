// SPDX-License-Identifier: Apache-2.0
package stoplog.python.source

import java.util.{Map => JMap}

import scala.jdk.CollectionConverters._
import scala.util.Using

import stoplog.options.PythonOptions
import stoplog.python.{DriverPython, PythonPool}
import stoplog.source.file.{FileFinder, PathRules}
import stoplog.storage.{SourceFile, SourceFiles}

/** Finds the files of a source by a function in Python, which returns paths: from a manifest, a database, an
  * index.
  *
  * A path of no file is skipped. Errors: those of [[PythonPool.Borrowed]], and `STOPLOG_PYTHON_FORBIDDEN`.
  *
  * @param parameters the options of [[PythonOptions]]
  */
private[stoplog] final class PythonFinder(parameters: JMap[String, String]) extends FileFinder {

  override def find(files: SourceFiles, rules: PathRules)(each: SourceFile => Unit): Unit = {
    val owner = PythonSource.owner(parameters)
    DriverPython.refuseIfForbidden(owner)
    val root  = files.describe("")
    val paths = Using.resource(
      PythonPool.borrow(owner, parameters.get(PythonOptions.Pickled), DriverPython.command(parameters))
    )(_.call("paths", "")(root).elements.asScala.map(_.asText()).toVector)
    for {
      path  <- paths.distinct
      found <- files.find(path)
      file  <- found.file(path)
    } each(file)
  }
}
