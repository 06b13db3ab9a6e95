// SPDX-License-Identifier: Apache-2.0
package users

import java.io.File
import java.nio.file.{Files, Path}
import java.util.jar.JarFile

import scala.io.Source
import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.spark.sql.sources.DataSourceRegister
import org.scalatest.funsuite.AnyFunSuite

import stoplog.FileSink
import stoplog.async.AsyncMap
import stoplog.cassandra.CassandraSink
import stoplog.jdbc.JdbcSink
import stoplog.kafka.KafkaSink
import stoplog.wal.WriteAheadSink

/** A change that makes a trait public adds a class here, as a user would write it. */
class EachTraitSuite extends AnyFunSuite {
  import EachTraitSuite._

  private val jars = Seq(classOf[FileSink], classOf[WriteAheadSink], classOf[AsyncMap[_]], classOf[CassandraSink]) ++
    Seq(classOf[JdbcSink], classOf[KafkaSink], Class.forName("stoplog.iceberg.IcebergTargetFactory")) ++
    Seq(Class.forName("stoplog.delta.DeltaTargetFactory")) map (c => new File(c.getProtectionDomain.getCodeSource.getLocation.toURI))

  test("what users have is the packed jars") {
    assert(jars.forall(jar => jar.getName.startsWith("stoplog") && jar.getName.endsWith(".jar")))
    assert(jars.map(_.getName.takeWhile(_ != '_')).toSet === connectors.map("stoplog-" + _).toSet + "stoplog")
  }

  test("each public trait is implemented here") {
    val groups = Seq("OwnConnectors", "OwnFiles", "OwnFormats", "OwnPolicies", "OwnSources", "OwnStores")
    val ours   = groups.flatMap(group => Class.forName(s"users.$group").getDeclaredClasses).flatMap(above(_)).toSet
    val public = sources.flatMap(traitsOf)
    assert(public.size > 50)
    assert(public.filterNot(ours) === Nil)
  }

  test("the packed classes have the types that the compiler wrote, those of internal packages too") {
    val names = jars.flatMap(classes).filterNot(_.contains('$'))
    val bare  = names.filterNot(isSigned)
    assert(names.size > 500)
    assert(bare.toSet === writtenInJava ++ jars.flatMap(dataSources))
  }

  private def writtenInJava: Set[String] = {
    val sources = EachTraitSuite.Root.resolve("scala-core/src/main/java")
    Using.resource(Files.walk(sources)) {
      _.iterator.asScala.map(sources.relativize(_).toString).filter(_.endsWith(".java"))
        .map(_.stripSuffix(".java").replace('/', '.')).toSet
    }
  }

  /** Returns the classes by which Spark finds formats. The build writes those of connectors in Java. */
  private def dataSources(jar: File): Seq[String] = Using.resource(new JarFile(jar)) { open =>
    Option(open.getEntry(s"META-INF/services/${classOf[DataSourceRegister].getName}")).toSeq.flatMap { entry =>
      Using.resource(Source.fromInputStream(open.getInputStream(entry)))(_.getLines().map(_.trim).toVector)
    }
  }

  private def above(c: Class[_]): Set[String] =
    if (c == null) Set.empty else (above(c.getSuperclass) ++ c.getInterfaces.flatMap(above(_))) + c.getName

  private def classes(jar: File): Seq[String] = Using.resource(new JarFile(jar)) {
    _.entries.asScala.map(_.getName).filter(_.endsWith(".class")).map(_.stripSuffix(".class").replace('/', '.')).toVector
  }

  private def isSigned(name: String): Boolean =
    try
      Class.forName(name, false, getClass.getClassLoader).getAnnotations.exists { annotation =>
        Set("ScalaSignature", "ScalaLongSignature")(annotation.annotationType.getSimpleName)
      }
    catch { case _: LinkageError | _: ClassNotFoundException => true } // it needs a client that is not here
}

private object EachTraitSuite {
  private val Root = Iterator.iterate(Path.of("").toAbsolutePath)(_.getParent).find(d => Files.exists(d.resolve("build.sbt"))).get

  /** Packages that no user compiles against, as the build has them for binary compatibility. */
  private val Internal = Seq("commit", "options", "spark", "thread", "util", "format.avro", "format.orc",
    "format.parquet", "format.sequence", "storage.local", "storage.hadoop", "storage.hdfs", "storage.s3", "stores", "checkpoint").map("stoplog." + _)

  def sources: Seq[String] = Seq("scala-core", "connectors").flatMap { module =>
    Using.resource(Files.walk(Root.resolve(module))) {
      _.iterator.asScala
        .filter(file => file.toString.contains("/src/main/scala/") && file.toString.endsWith(".scala"))
        .map(Files.readString)
        .toVector
    }
  }

  /** The ids of the list that the build reads. */
  def connectors: Seq[String] =
    Files.readString(Root.resolve("connectors/list.txt")).linesIterator.filterNot(_.startsWith("#")).toSeq

  /** By the names of their class files. */
  def traitsOf(source: String): Seq[String] = {
    val where = source.linesIterator.collectFirst { case s"package $name" => name }.getOrElse("")
    if (Internal.exists(name => where == name || where.startsWith(s"$name."))) Nil
    else {
      var outer = ""
      source.linesIterator.flatMap { line =>
        if (line.matches("\\S.*\\bobject \\w+.*")) outer = if (line.startsWith("object ")) line.split("\\W+")(1) else ""
        line match {
          case Top(name)                       => Some(s"$where.$name")
          case Nested(name) if outer.nonEmpty  => Some(s"$where.$outer$$$name")
          case _                               => None
        }
      }.toVector
    }
  }

  // Not those whose constructor is private: no user can extend one.
  private val Top    = "(?:trait|abstract class) (\\w++)(?! private\\[).*".r
  private val Nested = "  (?:trait|abstract class) (\\w++)(?! private\\[).*".r
}
