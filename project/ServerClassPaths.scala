// SPDX-License-Identifier: Apache-2.0
import java.io.File

import sbt.io.IO

/** The class path of each server of the tests in a file, for the tests that start it, in Scala and in Python. */
object ServerClassPaths {

  /** `<directory>/<name>.classpath`, each written only if it differs. */
  def write(directory: File, classPaths: (String, Seq[File])*): File = {
    for ((name, jars) <- classPaths) {
      val file = new File(directory, s"$name.classpath")
      val text = jars.mkString(File.pathSeparator)
      if (!file.exists || IO.read(file) != text) IO.write(file, text)
    }
    directory
  }
}
