// SPDX-License-Identifier: Apache-2.0
package stoplog.announce

import org.scalatest.funsuite.AnyFunSuite

class AnnouncementJsonSuite extends AnyFunSuite {
  import AnnouncementJsonSuite._

  for ((change, json) <- texts) test(s"writes and reads '${change.word}'") {
    val announcement = of(change)
    assert(AnnouncementJson.text(announcement) === s"$head$json}".replace("KIND", change.word))
    assert(AnnouncementJson.parse(AnnouncementJson.text(announcement)) === announcement)
  }

  test("an announcement between epochs has no epoch") {
    val announcement = of(Change.Gap(3, 9)).copy(epoch = None)
    assert(!AnnouncementJson.text(announcement).contains("epoch"))
    assert(AnnouncementJson.parse(AnnouncementJson.text(announcement)) === announcement)
  }

  test("ignores unknown fields, and rejects other text with the reason") {
    val text = AnnouncementJson.text(of(Change.Gap(3, 9)))
    assert(
      AnnouncementJson.parse(text.replace("{\"format\"", "{\"new\":1,\"format\"")) === of(Change.Gap(3, 9))
    )
    for (
      (wrong, why) <- Seq(
        "nothing"                                     -> "Unrecognized token 'nothing'",
        ""                                            -> "the field 'format' is missing",
        text.replace("\"format\":1", "\"format\":2")  -> "the format is 2",
        text.replace(",\"last\":9", "")               -> "the field 'last' is missing",
        text.replace("\"gap\"", "\"moved\"")          -> "the kind is 'moved'",
        text.replace("2026-01-31T10:00:00.120Z", "x") -> "Text 'x' could not be parsed"
      )
    ) {
      val message = intercept[IllegalArgumentException](AnnouncementJson.parse(wrong)).getMessage
      assert(message.startsWith(s"The text is not an announcement: $why"), message)
    }
  }
}

private object AnnouncementJsonSuite {
  private val head =
    """{"format":1,"id":"main/7d6f/118/2","log":"main","identity":"7d6f","sequence":118,"number":2,""" +
      """"kind":"KIND","path":"/data/events","sinkId":"main","""

  private val tail = """"epoch":41,"decidedAt":"2026-01-31T10:00:00.120Z""""

  private val files = Vector(
    AnnouncedFile(
      "h=1/a.json",
      Some(10),
      100,
      Some(TimeRange("2026-01-31T09:00:00Z", "2026-01-31T09:59:59Z"))
    ),
    AnnouncedFile("h=1/b.json", None, 200)
  )

  private val filesJson =
    """"files":[{"path":"h=1/a.json","bucket":"h=1","rows":10,"bytes":100,"min":"2026-01-31T09:00:00Z",""" +
      """"max":"2026-01-31T09:59:59Z"},{"path":"h=1/b.json","bucket":"h=1","bytes":200}]"""

  private val texts = Seq(
    Change.Added("h=1", files)                     -> s""""bucket":"h=1",$tail,$filesJson""",
    Change.Replaced("h=1", files, Vector("h=1/0")) ->
      s""""bucket":"h=1",$tail,$filesJson,"replaced":["h=1/0"]""",
    Change.Removed("h=1", Vector("h=1/0")) -> s""""bucket":"h=1",$tail,"removed":["h=1/0"]""",
    Change.PartitionComplete("h=1", 2)     ->
      s""""bucket":"h=1",$tail,"completed":[{"bucket":"h=1","version":2}]""",
    Change.Gap(3, 9)              -> s"""$tail,"first":3,"last":9""",
    Change.Snapshot("h=1", files) -> s""""bucket":"h=1",$tail,$filesJson"""
  )

  private def of(change: Change): Announcement = Announcement(
    AnnouncementId(LogId("main", "7d6f"), 118, 2),
    "/data/events",
    "main",
    change,
    1769853600120L,
    Some(41)
  )
}
