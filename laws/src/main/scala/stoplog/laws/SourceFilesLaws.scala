// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import java.io.FileNotFoundException
import java.nio.charset.StandardCharsets.UTF_8

import scala.util.{Try, Using}

import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.{Found, MoveOutcome, PutOutcome, SourceFile, SourceFiles}

/** The promises of [[stoplog.storage.SourceFiles]], and of the state of a source, on which the file source
  * depends.
  */
abstract class SourceFilesLaws extends AnyFunSuite {

  /** Creates a new, empty place. */
  def newInput(): InputUnderTest

  law("lists the files and directories of a directory") { place =>
    place.plant("top.txt", utf8("12345"))
    place.plant("a b/c=1%/ä.txt", utf8("1"))
    place.plant("a b/_hidden", utf8("12"))
    assert(listed(place.input(), "") === Map("top.txt" -> Some(5), "a b" -> None))
    assert(listed(place.input(), "a b") === Map("c=1%" -> None, "_hidden" -> Some(2)))
    assert(listed(place.input(), "a b/c=1%") === Map("ä.txt" -> Some(1)))
  }

  law("lists nothing in a directory that does not exist") { place =>
    assert(listed(place.input(), "") === Map.empty)
    assert(listed(place.input(), "b/c") === Map.empty)
  }

  law("finds a file by its path") { place =>
    place.plant("b/one.txt", utf8("one"))
    val found = place.input().find("b/one.txt")
    assert(found.map(_.name) === Some("one.txt"))
    assert(found.map(_.kind).collect { case Found.File(bytes, _) => bytes } === Some(3))
    assert(place.input().find("b/two.txt") === None)
  }

  law("a listing and a lookup show the same file") { place =>
    place.plant("b/one.txt", utf8("one"))
    var inListing = Option.empty[Found]
    place.input().list("b")(found => inListing = Some(found))
    val file = inListing.flatMap(_.file("b/one.txt"))
    assert(file.exists(before => place.input().find("b/one.txt").exists(kind(_).isStill(before))))
  }

  law("opens a file at any byte") { place =>
    val content = utf8("first\nsecond\n")
    place.plant("b/one.txt", content)
    for (from <- content.indices)
      assert(read(place.input(), "b/one.txt", from.toLong) === content.drop(from).toSeq)
  }

  law("reports a file that does not exist as not found") { place =>
    intercept[FileNotFoundException](read(place.input(), SourceFile("b/one.txt", 3, 0), 0))
  }

  law("opens files in another process") { place =>
    place.plant("b/one.txt", utf8("one"))
    assert(read(Copied(place.input()), "b/one.txt", 1) === utf8("ne").toSeq)
    assert(Copied(place).input().find("b/one.txt").isDefined)
  }

  law("deletes a file once") { place =>
    place.plant("b/one.txt", utf8("one"))
    assert(place.input().delete("b/one.txt"))
    assert(!place.input().delete("b/one.txt"))
    assert(place.input().find("b/one.txt") === None)
  }

  law("moves a file to a directory outside of the input") { place =>
    place.plant("b/one.txt", utf8("one"))
    place.plant("two.txt", utf8("two"))
    val files = place.input()
    assert(files.moveProblem(place.archive()) === None)
    assert(files.move("b/one.txt", s"${place.archive()}/b/one.txt") === MoveOutcome.Moved)
    assert(files.find("b/one.txt") === None)
    assert(files.move("two.txt", s"${place.archive()}/b/one.txt") === MoveOutcome.TargetTaken)
    assert(place.bytes("two.txt").toSeq === utf8("two").toSeq)
  }

  law("reports a file that another program has removed as missing") { place =>
    assert(place.input().move("b/none.txt", s"${place.archive()}/b/none.txt") === MoveOutcome.SourceGone)
  }

  law("does not move a file to its own path") { place =>
    place.plant("two.txt", utf8("two"))
    val path = place.input().locate("two.txt").getPath
    assert(Try(place.input().move("two.txt", path)).isFailure)
    assert(place.bytes("two.txt").toSeq === utf8("two").toSeq)
  }

  law("names a file for users and for other readers") { place =>
    place.plant("b/one.txt", utf8("one"))
    val files = place.input()
    assert(files.describe("b/one.txt").endsWith("b/one.txt"))
    assert(files.locate("b/one.txt").getPath.endsWith("/b/one.txt"))
    assert(files.nameOf(SourceFile("b/one.txt", 3, 0)) === "one.txt")
  }

  law("stores each file of a source's state once") { place =>
    assert(place.state().names("") === Vector.empty)
    assert(place.state().putIfAbsent("0", utf8("first")) === PutOutcome.Created)
    assert(place.state().putIfAbsent("0", utf8("second")) === PutOutcome.Taken)
    assert(place.state().putIfAbsent("seen/1", utf8("base")) === PutOutcome.Created)
    assert(place.state().read("0").map(new String(_, UTF_8)) === Some("first"))
    assert(Set("0", "seen").subsetOf(place.state().names("").toSet))
  }

  private def law(name: String)(body: InputUnderTest => Unit): Unit = test(name) {
    val place = newInput()
    try body(place)
    finally place.close()
  }

  private def listed(files: SourceFiles, directory: String): Map[String, Option[Long]] = {
    var all = Map.empty[String, Option[Long]]
    files.list(directory) { found =>
      assert(!all.contains(found.name))
      all += found.name -> (found.kind match {
        case Found.File(bytes, _) => Some(bytes)
        case Found.Directory      => None
      })
    }
    all
  }

  private def kind(found: Found): Found.File = found.kind match {
    case file: Found.File => file
    case Found.Directory  => fail(s"${found.name} is a directory")
  }

  private def read(files: SourceFiles, path: String, from: Long): Seq[Byte] =
    read(files, files.find(path).flatMap(_.file(path)).get, from)

  private def read(files: SourceFiles, file: SourceFile, from: Long): Seq[Byte] =
    Using.resource(files.open(file, from))(_.readAllBytes()).toSeq

  private def utf8(text: String): Array[Byte] = text.getBytes(UTF_8)
}
