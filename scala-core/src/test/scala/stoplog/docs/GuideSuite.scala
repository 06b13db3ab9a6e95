// SPDX-License-Identifier: Apache-2.0
package stoplog.docs

import org.scalatest.funsuite.AnyFunSuite

/** The code of the guides is that of the examples, which are tested. */
class GuideSuite extends AnyFunSuite {

  for (
    (page, names, least) <- Seq(
      ("beyond-files/own-source.md", Seq("NumbersSource", "NumbersSourceSuites"), 7),
      ("beyond-files/own-sink.md", Seq("TransactionalFiles", "TransactionalFilesSuites"), 6),
      (
        "contributing/extending.md",
        Seq("OnTheHour", "OnTheHourSuites", "LabelledValues", "LabelledValuesLaws") ++
          Seq("OwnFileSystemLaws", "FolderStorage", "FolderFiles", "FolderParts", "FolderSuites"),
        10
      )
    )
  )
    test(s"each code block in docs/$page is in the example") {
      val example = names
        .map(name => Repository.read(Repository.root.resolve(s"laws/src/test/scala/example/$name.scala")))
        .map(_.linesIterator.map(_.trim).mkString("\n"))
      val guide  = Repository.read(Repository.root.resolve("docs").resolve(page))
      val pieces = "(?s)```scala\n(.*?)```".r.findAllMatchIn(guide).map(_.group(1)).toVector
      assert(pieces.size >= least)
      for (piece <- pieces) {
        val lines = piece.linesIterator.map(_.trim).mkString("\n")
        assert(example.exists(_.contains(lines)), piece)
      }
    }
}
