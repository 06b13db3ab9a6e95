// SPDX-License-Identifier: Apache-2.0
package stoplog.engine

import java.net.URLClassLoader
import java.nio.file.{Files, Path}

import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.error.StoplogArgumentException

class JarVersionsSuite extends AnyFunSuite {

  test("a connector of another version is rejected with its name and both versions") {
    val e = intercept[StoplogArgumentException](check(Some("0.0.1")))
    assert(e.getCondition === "STOPLOG_VERSION_MISMATCH")
    assert(e.getSqlState === "0A000")
    assert(e.getMessage.contains("stoplog-other has version 0.0.1"))
    assert(e.getMessage.contains(FileSink.version()))
  }

  test("a connector without a version is rejected") {
    assert(intercept[StoplogArgumentException](check(None)).getMessage.contains("unknown"))
  }

  test("a connector of the same version is accepted") {
    check(Some(FileSink.version()))
  }

  private def check(version: Option[String]): Unit = {
    val jar = Files.createTempDirectory("stoplog-connector")
    version.foreach { said =>
      val directory = Files.createDirectories(jar.resolve("stoplog/other"))
      Files.writeString(directory.resolve("version.properties"), s"version=$said\n")
    }
    JarVersions.check("stoplog-other", new JarVersionsSuite.ConnectorLoader(jar).connector)
  }
}

object JarVersionsSuite {
  class Connector

  /** Reads a class of the connector's jar itself, as the loader of `--jars` does. */
  private final class ConnectorLoader(jar: Path)
      extends URLClassLoader(Array(jar.toUri.toURL), classOf[Connector].getClassLoader) {
    def connector: Class[_] = {
      val name  = classOf[Connector].getName
      val bytes =
        Using.resource(classOf[Connector].getResourceAsStream(s"/${name.replace('.', '/')}.class"))(
          _.readAllBytes()
        )
      defineClass(name, bytes, 0, bytes.length)
    }
  }
}
