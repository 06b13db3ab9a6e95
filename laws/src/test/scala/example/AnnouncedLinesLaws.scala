// SPDX-License-Identifier: Apache-2.0
package example

import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._

import stoplog.announce.{AnnouncementJson, AnnouncementTarget}
import stoplog.laws.{AnnouncementTargetLaws, ReceiverUnderTest}

class AnnouncedLinesLaws extends AnnouncementTargetLaws {
  override protected def newReceiver(): ReceiverUnderTest =
    new AnnouncedFileUnderTest(Files.createTempDirectory("announced").resolve("lines.jsonl"))
}

private final class AnnouncedFileUnderTest(file: Path) extends ReceiverUnderTest {
  override def target(): AnnouncementTarget = new AnnouncedLines(file)

  override def received(): Seq[Int] =
    if (!Files.exists(file)) Nil
    else
      Files
        .readAllLines(file)
        .asScala
        .toSeq
        .flatMap(AnnouncementJson.parse(_).change.bucket)
        .collect { case s"n=$number" => number.toInt }
}
