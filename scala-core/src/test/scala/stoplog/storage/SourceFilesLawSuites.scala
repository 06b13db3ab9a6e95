// SPDX-License-Identifier: Apache-2.0
package stoplog.storage

import java.io.File
import java.net.URI
import java.nio.file.{Files, Path, Paths}

import org.apache.commons.io.FileUtils
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}

import stoplog.fault.Faults
import stoplog.laws.{InputUnderTest, SourceFilesLaws}
import stoplog.storage.hadoop.{HadoopDefaults, TestFileSystems}
import stoplog.storage.local.{LocalForcing, LocalStorage}

/** A directory of this machine, as a path of a scheme.
  *
  * @param directory the place, next to its state and the archive
  */
private final class DirectoryInput(scheme: String, directory: String) extends InputUnderTest {
  private def root = s"$directory/in"

  override def input(): SourceFiles =
    Storage.input(new HadoopPath(s"$scheme:$root"), Vector(""), configuration)

  override def state(): FileStore = Storage.state(s"$scheme:$directory/state", configuration)
  override def archive(): String  = s"$directory/archive"

  override def plant(file: String, content: Array[Byte]): Unit = {
    Files.createDirectories(at(file).getParent)
    Files.write(at(file), content)
    ()
  }

  override def bytes(file: String): Array[Byte] = Files.readAllBytes(at(file))
  override def close(): Unit                    = FileUtils.deleteDirectory(new File(directory))

  private def at(file: String): Path       = Paths.get(root, file)
  private def configuration: Configuration = TestFileSystems.register(HadoopDefaults.configuration())
}

/** The default of [[StorageProvider]], over the storage of local disks. */
private final class DefaultInput(directory: String) extends InputUnderTest {
  import DefaultInput.Provider

  private val on = new DirectoryInput("file", directory)

  override def input(): SourceFiles = {
    val root = s"$directory/in"
    Provider.input(SourceLocation(root, URI.create(s"plain:$root"), Vector("")), settings)
  }

  override def state(): FileStore =
    Provider.state(s"$directory/state", URI.create(s"plain:$directory/state"), settings)

  override def archive(): String                               = on.archive()
  override def plant(file: String, content: Array[Byte]): Unit = on.plant(file, content)
  override def bytes(file: String): Array[Byte]                = on.bytes(file)
  override def close(): Unit                                   = on.close()

  private def settings: StorageSettings = StorageSettings.ofSource(HadoopDefaults.configuration())
}

private object DefaultInput {
  object Provider extends StorageProvider {
    override def scheme: Option[String] = Some("plain")

    override def at(path: String, uri: URI, settings: StorageSettings): Storage =
      new LocalStorage(path, uri.getPath, LocalForcing.Disk, Faults.none)
  }
}

private object DirectoryInput {
  def create(): String = Files.createTempDirectory("stoplog-input").toString
}

class LocalSourceFilesLaws extends SourceFilesLaws {
  override def newInput(): InputUnderTest = new DirectoryInput("file", DirectoryInput.create())
}

class HadoopSourceFilesLaws extends SourceFilesLaws {
  override def newInput(): InputUnderTest = new DirectoryInput("cutting", DirectoryInput.create())
}

class StoredSourceFilesLaws extends SourceFilesLaws {
  override def newInput(): InputUnderTest = new DefaultInput(DirectoryInput.create())
}
