// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.nio.charset.Charset

import scala.util.Try

/** The names that this JVM can pass to the file system of its machine. A JVM in a container without a locale
  * passes only ASCII, and Java throws for any other name.
  */
private[storage] object NativeNames {

  /** Returns why a path has no name on the machine, if so.
    *
    * @param charset of names on the machine; `None` if unknown
    */
  def problem(path: String, charset: Option[Charset] = ofThisJvm): Option[String] =
    charset.filterNot(_.newEncoder.canEncode(path)).map { of =>
      s"the locale of this JVM encodes names in ${of.name}, which lacks some of its characters: start the " +
        "JVMs of driver and executors with a locale of UTF-8, such as LC_ALL=C.UTF-8"
    }

  private lazy val ofThisJvm: Option[Charset] =
    Option(System.getProperty("sun.jnu.encoding")).flatMap(name => Try(Charset.forName(name)).toOption)
}
