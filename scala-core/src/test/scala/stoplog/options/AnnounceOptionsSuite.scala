// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

import stoplog.announce.{AnnouncementTarget, RecordingTarget}
import stoplog.commit.{AnnouncementLimits, FirstAnnouncement, OnBacklog, OnRefused}
import stoplog.error.StoplogArgumentException

class AnnounceOptionsSuite extends AnyFunSuite {

  private def parsed(options: (String, String)*): AnnounceOptions =
    SinkOptions.parse(Map("path" -> "/out", "format" -> "json") ++ options).buckets.completeness.announce

  private def refusal(options: (String, String)*): String =
    intercept[StoplogArgumentException](parsed(options: _*)).getMessage

  test("options without a target announce nothing") {
    assert(parsed().targets.isEmpty)
    assert(parsed().limits === AnnouncementLimits(1000, 7 * 24 * 3600 * 1000L, OnBacklog.Gap, 10000))
  }

  test("several targets have settings of their own") {
    val found = parsed(
      "announce.Hook"           -> "recording",
      "announce.hook.to"        -> "here",
      "announce.hook.start"     -> "Snapshot",
      "announce.hook.onRefused" -> "skip",
      "announce.own"            -> classOf[RecordingTarget].getName,
      "announceBacklog"         -> "5",
      "announceOnBacklog"       -> "fail"
    )
    assert(found.limits.records === 5)
    assert(found.limits.onBacklog === OnBacklog.Fail)
    assert(
      found.targets === Vector(
        AnnounceOptions.Target(
          "hook",
          "recording",
          Map("to" -> "here"),
          FirstAnnouncement.Snapshot,
          OnRefused.Skip
        ),
        AnnounceOptions.Target(
          "own",
          classOf[RecordingTarget].getName,
          Map.empty,
          FirstAnnouncement.Newest,
          OnRefused.Stop
        )
      )
    )
    assert(found.targets.map(_.create()).forall(_.isInstanceOf[AnnouncementTarget]))
  }

  test("a prefix of settings permits names of another system") {
    val settings = parsed("announce.a" -> "recording", "announce.a.More.io-impl" -> "x").targets.head.settings
    assert(settings.toSeq.map { case (name, value) =>
      name.toLowerCase -> value
    } === Seq("more.io-impl" -> "x"))
    assert(refusal("announce.a" -> "recording", "announce.a.more" -> "x").contains("is not a setting of"))
  }

  test("all problems are reported together, each with its option") {
    val message = refusal(
      "announce.hook"       -> "recordin",
      "announce.bad name"   -> "recording",
      "announce.a"          -> "recording",
      "announce.a.tu"       -> "here",
      "announce.a.start"    -> "oldest",
      "announce.b"          -> "recording",
      "announce.b.fails"    -> "no address",
      "announce.c"          -> "java.lang.String",
      "announce.missing.to" -> "here",
      "announce"            -> "recording"
    )
    Seq(
      "announce.hook names recordin", "perhaps recording", "announce.bad name: the name of a target",
      "announce.a.tu is not a setting of 'recording'; perhaps to",
      "announce.a.start = 'oldest' is not one of newest, snapshot", "announce.b: no address",
      "announce.c names java.lang.String",
      "announce.missing.to is a setting of a target, and announce.missing is not set",
      "announce is the prefix of targets"
    ).foreach(part => assert(message.contains(part), message))
  }

  test("limits need a target") {
    assert(refusal("announceBacklog" -> "5").contains("announceBacklog has no effect unless announce.<name>"))
  }

  test("descriptions hide secrets") {
    val options = SinkOptions.parse(
      Map("path" -> "/out", "format" -> "json", "announce.a" -> "recording", "announce.a.token" -> "hunter2")
    )
    assert(!options.toString.contains("hunter2"))
    assert(!options.buckets.completeness.announce.toString.contains("hunter2"))
    assert(SinkOptions.parse(options.toMap) === options)
  }
}
