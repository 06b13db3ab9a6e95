// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileSystem

import stoplog.laws.HadoopUnderTest
import stoplog.storage.PartLayout

/** File systems that lack something, over directories of this machine. */
object TestFileSystems {
  val classes: Map[String, Class[_ <: FileSystem]] = Map(
    "cutting"    -> classOf[CuttingFs],
    "appendonly" -> classOf[AppendOnlyFs],
    "createonly" -> classOf[CreateOnlyFs],
    "lastwins"   -> classOf[NoExclusiveCreateFs],
    "leased"     -> classOf[LeasedFs],
    "tried"      -> classOf[TriedFs],
    "unsteady"   -> classOf[UnsteadyFs]
  )

  def register(configuration: Configuration): Configuration = {
    classes.foreach { case (scheme, fs) => configuration.set(s"fs.$scheme.impl", fs.getName) }
    configuration
  }

  /** A new directory under the scheme. */
  def directory(scheme: String): String =
    s"$scheme:${Files.createTempDirectory(s"stoplog-$scheme").toUri.getPath.stripSuffix("/")}"

  def storage(
      scheme: String,
      layout: String => PartLayout = PartLayout.Staging(_),
      asked: Option[Trimming] = None
  ): HadoopUnderTest =
    HadoopUnderTest.under(directory(scheme), register(HadoopDefaults.configuration()), layout, asked)
}
