// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.s3

import java.net.{URL, URLClassLoader}
import java.nio.file.{Files, Path}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.s3a.S3AFileSystem
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException

class S3LibrarySuite extends AnyFunSuite {
  private val coordinate = "org.apache.hadoop:hadoop-aws:3.5.0"
  private val S3a        = "org/apache/hadoop/fs/s3a/S3AFileSystem.class"
  private val Sdk        = "software/amazon/awssdk/services/s3/S3Client.class"
  private val Version    = "META-INF/maven/org.apache.hadoop/hadoop-aws/pom.properties"

  test("the tests' hadoop-aws matches their Hadoop version") {
    S3Library.check("s3a://b/out", getClass.getClassLoader, org.apache.hadoop.util.VersionInfo.getVersion)
  }

  test("reports a missing library, another version or a missing SDK with the required coordinates") {
    val cases = Seq(
      Map.empty[String, String]                             -> "the jar is missing",
      Map(S3a -> "", Sdk -> "", Version -> "version=3.4.1") -> "it has version 3.4.1",
      Map(S3a -> "", Version -> "version=3.5.0")            -> "SDK"
    )
    for ((files, why) <- cases) {
      val refused = intercept[StoplogArgumentException](check(files))
      assert(refused.getCondition === "STOPLOG_JAR_MISSING")
      assert(refused.getMessage.contains(coordinate) && refused.getMessage.contains(why))
    }
  }

  test("a build without a version passes the check") {
    check(Map(S3a -> "", Sdk -> ""))
  }

  test("identifies S3A by its class under any scheme") {
    val configuration = new Configuration()
    assert(S3Library.serves("s3a", configuration))
    assert(!S3Library.serves("s3", configuration) && !S3Library.serves("file", configuration))
    configuration.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem")
    configuration.set("fs.own.impl", classOf[S3LibrarySuite.Derived].getName)
    assert(S3Library.serves("s3", configuration) && S3Library.serves("own", configuration))
  }

  test("identifies S3A by configuration if its jar is missing") {
    val configuration = new Configuration()
    configuration.setClassLoader(ClassLoader.getPlatformClassLoader)
    configuration.set("fs.s3.impl", "org.apache.hadoop.fs.s3a.S3AFileSystem")
    assert(S3Library.serves("s3", configuration))
  }

  private def check(files: Map[String, String]): Unit = {
    val directory = Files.createTempDirectory("stoplog-classes")
    files.foreach { case (name, content) => write(directory.resolve(name), content) }
    val loader = new URLClassLoader(Array[URL](directory.toUri.toURL), ClassLoader.getPlatformClassLoader)
    try S3Library.check("s3a://b/out", loader, "3.5.0")
    finally loader.close()
  }

  private def write(file: Path, content: String): Unit = {
    Files.createDirectories(file.getParent)
    Files.writeString(file, content)
    ()
  }
}

object S3LibrarySuite {
  final class Derived extends S3AFileSystem
}
