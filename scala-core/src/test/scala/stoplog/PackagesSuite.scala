// SPDX-License-Identifier: Apache-2.0
package stoplog

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

/** Each package imports what [[PackageImports]] allows, and no package imports itself by way of others. */
class PackagesSuite extends AnyFunSuite {
  import PackagesSuite._

  private val core = Repository.root.resolve("scala-core/src/main/scala")
  private val laws = Repository.root.resolve("laws/src/main/scala")

  private val sources = core +: Repository.connectors.map(_.resolve("src/main/scala"))

  private val found: Map[String, Set[String]] = {
    val files    = sources.flatMap(scalaFiles).map(Repository.read)
    val packages = files.map(packageOf).toSet
    files
      .map(text => packageOf(text) -> imported(text, packages))
      .groupMapReduce(_._1)(_._2)(_ ++ _)
      .map { case (name, others) => name -> (others - name) }
  }

  test("each package imports only allowed packages, and every package is listed") {
    assert(found.keySet === PackageImports.allowed.keySet)
    val more = for {
      (name, others) <- found.toVector
      other          <- others -- PackageImports.allowed(name)
    } yield s"$name imports $other"
    assert(more.sorted === Vector.empty)
  }

  test("the list allows only used imports") {
    val unused = for {
      (name, others) <- PackageImports.allowed.toVector
      other          <- others -- found.getOrElse(name, Set.empty)
    } yield s"$name does not import $other"
    assert(unused.sorted === Vector.empty)
  }

  test("no package imports itself through others") {
    var left = found
    while (left.exists { case (_, others) => others.intersect(left.keySet).isEmpty })
      left = left.filter { case (_, others) => others.intersect(left.keySet).nonEmpty }
    assert(left.keySet === Set.empty)
  }

  test("each package has a single descriptive comment") {
    val directories = (sources :+ laws).flatMap(scalaFiles).map(_.getParent).distinct
    val without     = directories
      .map(_.resolve("package.scala"))
      .filterNot(page => Files.exists(page) && "(?s)/\\*.*?\\*/".r.findAllIn(Repository.read(page)).size == 1)
    assert(without === Vector.empty)
  }

  test("the build lists exactly the core packages without a public type as internal") {
    val public    = "(?m)^(?:final |sealed |abstract |case )*(?:class|trait|object) ".r
    val files     = scalaFiles(core).map(Repository.read).groupBy(packageOf)
    val published = Repository.read(Repository.root.resolve("project/Published.scala"))
    val internal  = "(?s)val Internal.*?\\n  \\)".r.findFirstIn(published).get
    assert(
      "\"(stoplog[\\w.]*)\"".r.findAllMatchIn(internal).map(found => short(found.group(1))).toSeq.sorted ===
        files.filterNot(_._2.exists(public.findFirstIn(_).isDefined)).keys.toSeq.sorted
    )
  }

  private def packageOf(text: String): String =
    "(?m)^package (?!object)([\\w.]+)".r.findFirstMatchIn(text).fold("root")(found => short(found.group(1)))

  /** The longest packages that the imports of a file name. */
  private def imported(text: String, packages: Set[String]): Set[String] = {
    val names =
      "(?m)^\\s*import (stoplog(?:\\.\\w+)*)(?:\\.\\{([^}]*)\\})?".r.findAllMatchIn(text).flatMap { line =>
        val selected =
          Option(line.group(2)).fold(Seq.empty[String])(_.split(",").toSeq.map(_.trim.takeWhile(_ != ' ')))
        line.group(1) +: selected.map(name => s"${line.group(1)}.$name")
      }
    names.map(short).flatMap(name => prefixes(name).find(packages)).toSet
  }

  /** The name, and those of the packages around it. */
  private def prefixes(name: String): Iterator[String] =
    Iterator.iterate(name)(name => name.take(name.lastIndexOf('.').max(0))).takeWhile(_.nonEmpty)

  private def short(name: String): String = if (name == "stoplog") "root" else name.stripPrefix("stoplog.")
}

private object PackagesSuite {
  def scalaFiles(directory: Path): Vector[Path] =
    Using.resource(Files.walk(directory))(
      _.iterator.asScala.filter(_.toString.endsWith(".scala")).toVector.sorted
    )
}
