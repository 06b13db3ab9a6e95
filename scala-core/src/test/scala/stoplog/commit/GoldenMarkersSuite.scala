// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Files

import org.scalatest.funsuite.AnyFunSuite

import stoplog.docs.Repository
import stoplog.log.{GoldenCompletion, Totals}

/** The marker and the list of files of release 0.1.0, which other programs read. The files are never edited. */
class GoldenMarkersSuite extends AnyFunSuite {
  private val record = GoldenCompletion.whole("record-v1-complete.json")
  private val marker = record.follow.markers.head

  private def golden(file: String): Array[Byte] =
    Files.readAllBytes(Repository.root.resolve(s"scala-core/src/test/resources/golden/$file"))

  test("a marker encodes to the golden bytes and decodes to its totals") {
    val identity = Markers.Identity("main", record.seq, record.run)
    val total    = Totals(5, 500, 60000)
    assert(text(Markers.bytes(marker, marker.version, identity, total)) === text(golden("marker-v1.json")))
    assert(
      Markers.content(golden("marker-v1.json")) === Some(Markers.Content(Some(identity), "main", total))
    )
  }

  test("a manifest encodes to the golden bytes") {
    assert(
      text(MarkerWriter.ManifestJson.bytes(record.follow.manifest.get, record)) === text(
        golden("manifest-v1.json")
      )
    )
  }

  private def text(bytes: Array[Byte]): String = new String(bytes, UTF_8)
}
