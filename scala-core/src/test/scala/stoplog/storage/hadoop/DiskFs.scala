// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.PosixFilePermissions

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs._
import org.apache.hadoop.fs.local.LocalConfigKeys
import org.apache.hadoop.fs.permission.FsPermission

/** Hadoop's local files without its native library, which no test has: there Hadoop starts a `chmod` for each file that
  * it creates and a `readlink` for each that it renames, a dozen processes in each of Spark's micro-batches. This one
  * asks Java. `core-site.xml` of the tests names it.
  */
class DiskFs extends RawLocalFileSystem {
  override def setPermission(path: Path, permission: FsPermission): Unit =
    if (permission.getStickyBit) super.setPermission(path, permission)
    else {
      val actions = Seq(permission.getUserAction, permission.getGroupAction, permission.getOtherAction)
      val names   = actions.map(_.SYMBOL).mkString
      Files.setPosixFilePermissions(pathToFile(path).toPath, PosixFilePermissions.fromString(names))
      ()
    }

  override def getFileLinkStatus(path: Path): FileStatus =
    if (Files.isSymbolicLink(pathToFile(path).toPath)) super.getFileLinkStatus(path) else getFileStatus(path)
}

/** For Hadoop's `FileSystem`. */
class DiskFileSystem extends LocalFileSystem(new DiskFs)

/** For Hadoop's `FileContext`, by which Spark writes checkpoints. */
class DiskFileContext(address: URI, configuration: Configuration)
    extends ChecksumFs(new RawDiskFileContext(address, configuration))

private final class RawDiskFileContext(address: URI, configuration: Configuration)
    extends DelegateToFileSystem(address, new DiskFs, configuration, "file", false) {
  override def getUriDefaultPort: Int = -1

  override def getServerDefaults(path: Path): FsServerDefaults = LocalConfigKeys.getServerDefaults

  override def isValidName(name: String): Boolean = true
}
