// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

import stoplog.error.StoplogArgumentException
import stoplog.storage.Growth

/** What the trial finds out of file systems that say nothing true of themselves. */
class CapabilityProbeSuite extends AnyFunSuite {

  private def files(scheme: String): HadoopFiles = new HadoopFiles(
    TestFileSystems.directory(scheme),
    new HadoopSettings(TestFileSystems.register(HadoopDefaults.configuration())),
    Renaming.Checked
  )

  for (
    (scheme, growth, exclusion) <- Seq(
      ("cutting", Growth.AppendAndTruncate, CapabilityProbe.Exclusion.ByRename),
      ("appendonly", Growth.AppendOnly, CapabilityProbe.Exclusion.ByRename),
      ("createonly", Growth.CreateOnly, CapabilityProbe.Exclusion.ByCreate)
    )
  )
    test(s"$scheme: $growth, exclusive $exclusion") {
      assert(CapabilityProbe.of(files(scheme), "main") === CapabilityProbe.Capabilities(growth, exclusion))
    }

  test("the probe leaves no files") {
    for (scheme <- TestFileSystems.classes.keys) {
      val place = files(scheme)
      try CapabilityProbe.of(place, "main")
      catch { case _: StoplogArgumentException => () }
      assert(place.filesUnder(place.at(""))(_ => true).isEmpty, scheme)
    }
  }

  test("rejects a last-writer-wins file system by name") {
    val refused = intercept[StoplogArgumentException](CapabilityProbe.of(files("lastwins"), "main"))
    assert(refused.getCondition === "STOPLOG_STORE_NOT_EXCLUSIVE")
    assert(refused.getMessageParameters.get("scheme") === "lastwins")
  }

  test("source state requires only exclusive creation or rename") {
    for (
      (scheme, how) <- Seq(
        "appendonly" -> CapabilityProbe.Exclusion.ByRename,
        "createonly" -> CapabilityProbe.Exclusion.ByCreate
      )
    )
      assert(CapabilityProbe.exclusion(files(scheme)) === how)
    val refused = intercept[StoplogArgumentException](CapabilityProbe.exclusion(files("lastwins")))
    assert(refused.getCondition === "STOPLOG_STORE_NOT_EXCLUSIVE")
  }

  test("rejects Hadoop's raw local file system, which replaces existing files") {
    val place = new HadoopFiles(
      new Path(TestFileSystems.directory("raw")).toUri.getPath,
      new HadoopSettings(raw),
      Renaming.Checked
    )
    assert(
      intercept[StoplogArgumentException](
        CapabilityProbe.of(place, "main")
      ).getCondition === "STOPLOG_STORE_NOT_EXCLUSIVE"
    )
  }

  private def raw: Configuration = {
    val configuration = HadoopDefaults.configuration()
    configuration.set("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem")
    configuration.setBoolean("fs.file.impl.disable.cache", true)
    configuration
  }
}
