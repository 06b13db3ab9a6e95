// SPDX-License-Identifier: Apache-2.0
package stoplog.iceberg

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import stoplog.announce.table.Refusal
import stoplog.storage.RealPath

/** The path of a sink.
  *
  * @param qualified with scheme and authority, for reading
  * @param table     the address in the table; other readers may need another scheme
  */
private[iceberg] final case class SinkPath(qualified: Path, table: String) {

  /** The same for all spellings of a path: without scheme, and on a local disk without links. */
  lazy val withoutScheme: String = real(SinkPath.withoutScheme(qualified.toString))

  /** The file for reading. */
  def file(relative: String): Path = new Path(s"$qualified/$relative")

  /** The address of the file in the table. */
  def address(relative: String): String = s"$table/$relative"

  /** Returns the relative path of an address; `None` for a file outside of the path. The scheme does not
    * count: readers have several schemes for one storage. A former run may have had a link in the path.
    */
  def relative(address: String): Option[String] = {
    val own = SinkPath.withoutScheme(address)
    below(own).orElse(Some(real(own)).filter(_ != own).flatMap(below))
  }

  private def below(own: String): Option[String] =
    roots.map(root => s"$root/").find(own.startsWith).map(root => own.drop(root.length))

  private def real(own: String): String =
    if (qualified.toUri.getScheme == "file") SinkPath.withoutScheme(RealPath.of(s"/$own")) else own

  /** Throws [[Refusal]] if the directory of the table contains the sink, or the reverse. Iceberg's
    * `remove_orphan_files` deletes files in the directory of the table that are not in the table: finished
    * files that are not announced yet.
    */
  def refuseInside(location: String, configuration: Configuration): Unit = {
    val own   = withoutScheme + "/"
    val other = SinkPath.of(location, None, configuration).withoutScheme + "/"
    if (own.startsWith(other) || other.startsWith(own))
      throw new Refusal(
        s"the location of the table, $location, overlaps the path of the sink, $qualified. remove_orphan_files would delete " +
          "finished files before they are in the table. Use a table with another location"
      )
  }

  /** With and without the setting `location`: a former run may have had another spelling of the path. */
  private lazy val roots = Set(table, qualified.toString).map(SinkPath.withoutScheme) + withoutScheme
}

private[iceberg] object SinkPath {

  /** `s3://lake/a` and `s3a://lake/a` are one address, and so are `file:/a` and `file:///a`. */
  def withoutScheme(address: String): String = Scheme.replaceFirstIn(address, "")

  private val Scheme = "^([A-Za-z][A-Za-z0-9+.-]*:)?/*".r

  def of(path: String, location: Option[String], configuration: Configuration): SinkPath = {
    val written   = new Path(path)
    val qualified = written.getFileSystem(configuration).makeQualified(written)
    SinkPath(qualified, location.getOrElse(qualified.toString))
  }
}
