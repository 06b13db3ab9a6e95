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
    assert(all.map(_.group).distinct === OptionGroup.all)
  }

  test("every option has documentation") {
    for (o <- all) {
      assert(o.doc.endsWith("."), o.key)
      assert(Seq(o.values.described, o.unset, o.example).forall(_.nonEmpty), o.key)
      assert(o.since.matches("\\d+\\.\\d+\\.\\d+"), o.key)
      assert(o.defaultText.forall(d => o.unset == s"`$d`"), o.key)
    }
  }

  test("every default and every example is valid") {
    val beside = Map(
      "encoder"             -> None,
      "bulkWriter"          -> None,
      "announce"            -> None,
      "compactor"           -> None,
      "nullValue"           -> Some("format" -> "csv"),
      "inProgressPrefix"    -> Some("inProgress" -> "bucket"),
      "inProgressSuffix"    -> Some("inProgress" -> "bucket"),
      "pendingPrefix"       -> Some("inProgress" -> "bucket"),
      "pendingSuffix"       -> Some("inProgress" -> "bucket"),
      "validLengthPrefix"   -> Some("useTruncate" -> "false"),
      "validLengthSuffix"   -> Some("useTruncate" -> "false"),
      "rejectPath"          -> Some("onBadRow" -> "reject"),
      "bucketComplete"      -> Some("bucketColumn" -> "at"),
      "bucketCompleteDelay" -> Some("bucketComplete" -> "idle"),
      "eventTimeColumn"     -> Some("eventTimeInterval" -> "10m"),
      "bucketMarker"        -> Some("bucketComplete" -> "processingTime"),
      "manifestRetention"   -> Some("manifest" -> "json"),
      "sink"                -> None,
      "logLocation"         -> None,
      "view"                -> None
    )
    val announcing = Seq("announceBacklog", "announceBacklogAge", "announceOnBacklog", "announceAtEnd")
      .map(_ -> Some("announce.out" -> "recording"))
    val compacting = Seq("compactSmallerThan", "compactTo", "compactAfterEpochs", "compactMinFiles")
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
