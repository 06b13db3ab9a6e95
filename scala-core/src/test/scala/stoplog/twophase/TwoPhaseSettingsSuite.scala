// SPDX-License-Identifier: Apache-2.0
package stoplog.twophase

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.scalatest.funsuite.AnyFunSuite

class TwoPhaseSettingsSuite extends AnyFunSuite {

  test("the place of a log is equal for all spellings of its location, and different for a copy") {
    val root = Files.createTempDirectory("stoplog-place").toRealPath()
    val log  = Files.createDirectory(root.resolve("log"))
    val link = Files.createSymbolicLink(root.resolve("link"), log)
    for (location <- Seq(s"$log", s"$log/", s"file:$log", s"file://$log", s"$root/other/../log", s"$link"))
      assert(place(location) === s"file://$log", location)
    assert(place(s"$root/copy") === s"file://$root/copy")
  }

  test("the place of a log in an object store has the name of one client") {
    for (location <- Seq("s3://bucket/log", "s3a://bucket/log/"))
      assert(place(location) === "s3a://bucket/log")
  }

  private def place(location: String): String = TwoPhaseSettings.place(location, new Configuration)
}
