// SPDX-License-Identifier: Apache-2.0
package users

import java.net.{URL, URLClassLoader}
import java.nio.charset.StandardCharsets.UTF_8

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.connector.catalog.TableProvider
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/** Spark loads the entries of all jars for every read. Each jar is tried without all other jars of stoplog.
  */
class ServiceEntriesSuite extends AnyFunSuite {
  private val register = s"META-INF/services/${classOf[DataSourceRegister].getName}"

  /** The jars of stoplog with a format, and their entries. */
  private val entries: Seq[(URL, String)] = for {
    found <- getClass.getClassLoader.getResources(register).asScala.toSeq
    name  <- Using.resource(found.openStream())(in => new String(in.readAllBytes(), UTF_8)).linesIterator.map(_.trim)
    if name.startsWith("stoplog.")
  } yield new URL(found.getPath.takeWhile(_ != '!')) -> name

  /** Sees Spark and a single jar of stoplog. */
  private def alone(jar: URL): ClassLoader = {
    val spark = new ClassLoader(getClass.getClassLoader) {
      override def loadClass(name: String, resolve: Boolean): Class[_] =
        if (hidden.exists(name.startsWith)) throw new ClassNotFoundException(name)
        else super.loadClass(name, resolve)
      override def getResource(name: String): URL = if (name.startsWith("stoplog")) null else super.getResource(name)
    }
    new URLClassLoader(Array(jar), spark)
  }

  private val hidden = Seq("stoplog.", "org.apache.kafka.", "com.datastax.")

  test("all formats are found, one in each jar") {
    assert(entries.map(_._2).distinct.size === 5)
    assert(entries.map(_._1).distinct.size === 5)
  }

  for ((jar, name) <- entries) test(s"$name loads without other jars of stoplog and provides its name") {
    val loader = alone(jar)
    val found  = loader.loadClass(name).getConstructor().newInstance()
    assert(found.getClass.getClassLoader eq loader)
    assert(found.asInstanceOf[DataSourceRegister].shortName().startsWith("stoplog"))
  }

  for ((jar, name) <- entries if name != "stoplog.spark.StoplogDataSource")
    test(s"$name names the missing jar when its format is used") {
      val found   = alone(jar).loadClass(name).getConstructor().newInstance().asInstanceOf[TableProvider]
      val refused = intercept[IllegalArgumentException](
        found.getTable(new StructType(), Array.empty, java.util.Map.of("url", "x"))
      )
      assert(refused.getMessage.startsWith("[STOPLOG_JAR_MISSING]"), refused.getMessage)
      assert(refused.getMessage.contains(" needs the jar io.github.stoplog:stoplog_2.13:"), refused.getMessage)
    }
}
