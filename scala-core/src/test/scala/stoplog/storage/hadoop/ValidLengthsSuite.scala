// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.io.IOException

import org.scalatest.funsuite.AnyFunSuite

import stoplog.storage.ValidLengthNames

/** The companions of files that are too long, byte by byte: other programs read them. */
class ValidLengthsSuite extends AnyFunSuite {
  private val files = new HadoopFiles(
    TestFileSystems.directory("appendonly"),
    new HadoopSettings(TestFileSystems.register(HadoopDefaults.configuration())),
    Renaming.Checked
  )
  private val lengths = new ValidLengths(files, "main", ValidLengthNames.standard)

  test("a valid-length file contains decimal digits in the form of DataOutput.writeUTF") {
    lengths.note(files.at("a b/part-1.txt"), 1048576)
    val bytes = files.read(files.at("a b/_part-1.txt.valid-length")).get
    assert(bytes.toSeq === Seq[Byte](0, 7) ++ "1048576".getBytes("US-ASCII"))
    assert(lengths.of(files.at("a b/part-1.txt")) === Some(1048576))
  }

  test("a valid length is written once and never changed") {
    val part = files.at("part-2.txt")
    lengths.note(part, 5)
    lengths.note(part, 5)
    assert(intercept[IOException](lengths.note(part, 6)).getMessage.contains("does not contain 6"))
    assert(lengths.of(part) === Some(5))
    assert(files.list(files.at("_stoplog/main/open")).isEmpty)
  }

  test("a file is valid with its exact length, or longer with a matching valid length") {
    val part = files.at("part-3.txt")
    assert(lengths.isValid(part, 5, 5))
    assert(!lengths.isValid(part, 9, 5))
    lengths.note(part, 5)
    assert(lengths.isValid(part, 9, 5))
    assert(!lengths.isValid(part, 9, 6))
    assert(!lengths.isValid(part, 4, 5))
  }

  test("a malformed valid-length file is ignored") {
    val out = files.fileSystem.create(files.at("_part-4.txt.valid-length"))
    out.write('5')
    out.close()
    assert(lengths.of(files.at("part-4.txt")) === None)
  }
}
