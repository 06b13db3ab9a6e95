// SPDX-License-Identifier: Apache-2.0
package stoplog.format.bulk

import java.io.ByteArrayInputStream
import java.nio.file.{Files, Path}
import java.util.HexFormat

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository

/** The rows of an open part of blocks as release 0.1.0 laid them aside. The file is never edited. */
class GoldenSpoolFramesSuite extends AnyFunSuite {
  import GoldenSpoolFramesSuite._

  private val bytes = Files.readAllBytes(File)

  test("the header contains the part's format and directory") {
    SpoolFrames.read(new ByteArrayInputStream(bytes)) match {
      case Some(SpoolFrames.Head(header)) =>
        assert(header.format === Format)
        assert(header.directory.toSeq === Directory.toSeq)
      case other => fail(s"$other")
    }
  }

  test("rows are read unchanged and in order") {
    assert(TextRows.texts(SpoolFrames.rows(new ByteArrayInputStream(bytes), columns = 1)) === Texts)
  }
}

object GoldenSpoolFramesSuite {
  private val File: Path =
    Repository.root.resolve("scala-core/src/test/resources/golden/beside-v1.bin")
  private val Format    = "{\"format\":\"köln\",\"version\":1}"
  private val Directory = HexFormat.of().parseHex("00ff7f80")
  private val Texts     = Vector("one", "", "東京", "a longer one, of more than eight bytes " * 20, "five")

  /** Writes the file as this version does, for the first time. */
  def main(args: Array[String]): Unit = {
    val out        = Files.newOutputStream(File)
    val (few, all) = Texts.splitAt(2)
    SpoolFrames.write(SpoolFrames.Header(Format, Directory), out)
    SpoolFrames.write(Iterator(page(few), page(all)), out)
    out.close()
  }

  private def page(texts: Vector[String]): RowPage = {
    val page = RowPage.empty(1 << 16)
    texts.foreach(text => require(page.append(TextRows.of(text))))
    page
  }
}
