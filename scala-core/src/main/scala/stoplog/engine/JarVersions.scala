// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.io.InputStream
import java.util.Properties

import scala.util.Using

import stoplog.error.Errors

/** The versions of stoplog's jars, stored in each jar. */
private[stoplog] object JarVersions {

  /** The version of the core. */
  lazy val core: String = in(getClass.getResourceAsStream(s"/stoplog/$File"))

  /** Rejects a connector's jar built for another version of the core, because methods may be missing or
    * behave differently. Called by each connector at the start of a read or a write.
    *
    * @param artifact the artifact of the connector, such as `stoplog-jdbc`
    * @param caller   a class of the connector's jar
    *
    * Error: `STOPLOG_VERSION_MISMATCH`.
    */
  def check(artifact: String, caller: Class[_]): Unit = {
    val built =
      Option(caller.getResourceAsStream(s"/stoplog/${artifact.stripPrefix("stoplog-")}/$File")).map(in)
    if (!built.contains(core)) throw Errors.connectorVersion(artifact, built.getOrElse("unknown"), core)
  }

  private def in(stream: InputStream): String = {
    val properties = new Properties()
    Using.resource(stream)(properties.load)
    properties.getProperty("version")
  }

  private final val File = "version.properties"
}
