// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import org.scalatest.funsuite.AnyFunSuite

class SinkOptionRegistrySuite extends AnyFunSuite {

  private val all = SinkOptionRegistry.all

  private val groups = Seq[AnyRef](
    OutputOptions,
    RollingOptions,
    CompactionOptions,
    BucketOptions,
    OverwriteOptions,
    PartOptions,
    BucketingSinkOptions,
    RecoveryOptions,
    Completeness,
    AnnounceOptions,
    LogOptions,
    PythonOptions,
    ViewOptions
  )

  test("option names are unique, ignoring case") {
    val keys = all.map(_.key.toLowerCase)
    assert(keys === keys.distinct)
  }

  test("every declared option is registered in the order of its group") {
    val fields = groups.flatMap { group =>
      group.getClass.getDeclaredMethods
        .filter(m => m.getReturnType == classOf[Opt[_]] && m.getParameterCount == 0)
        .map(_.invoke(group).asInstanceOf[Opt[_]].key)
    }
    assert(fields.toSet === all.map(_.key).toSet)
    val listed = all.map(_.group).distinct
    assert(listed.filter(OptionGroup.all.contains) === OptionGroup.all)
    assert(listed.toSet -- OptionGroup.all === Set(OptionGroup.OfSpark, OptionGroup.Internal))
  }

  test("every option has documentation") {
    for (o <- all) {
      assert(o.doc.endsWith("."), o.key)
      assert(Seq(o.values.described, o.unset, o.example).forall(_.nonEmpty), o.key)
      assert(o.defaultText.forall(d => o.unset == s"`$d`"), o.key)
    }
  }

  test("every default and every example is valid") {
    val beside = Map(
      "announce"        -> None,
      "compactor"       -> None,
      "nullValue"       -> Some("format" -> "csv"),
      "bucketComplete"  -> Some("bucketColumn" -> "at"),
      "eventTimeColumn" -> Some("eventTimeInterval" -> "10m"),
      "sink"            -> None,
      "logLocation"     -> None,
      "view"            -> None,
      "bucketingSink"   -> None
    )
    val announcing = Seq("announceBacklog", "announceOnBacklog", "announceAtEnd")
      .map(_ -> Some("announce.out" -> "recording"))
    val compacting = Seq("compactAfterEpochs")
      .map(_ -> Some("compaction" -> "smallParts"))
    for {
      o     <- all if beside.get(o.key).forall(_.nonEmpty)
      value <- o.defaultText.toSeq :+ o.example
    } {
      val needed = (beside ++ compacting ++ announcing).get(o.key).flatten.toMap
      SinkOptions.parse(Map("path" -> "/data/out", "format" -> "json") ++ needed + (o.key -> value))
    }
  }
}
