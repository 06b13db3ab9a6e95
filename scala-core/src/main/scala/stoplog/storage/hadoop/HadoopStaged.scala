// SPDX-License-Identifier: Apache-2.0
package stoplog.storage.hadoop

import stoplog.sink.Staged
import stoplog.storage.PartLayout

/** Everything unfinished of one sink id, on a file system. */
private[storage] object HadoopStaged {

  /** @param inStaging the token of what has this path in the staging directory, where records are written as well */
  def list(files: HadoopFiles, sinkId: String, layout: PartLayout)(
      inStaging: String => String
  ): Vector[Staged] =
    files.writing(files.at(layout.root)) {
      val own     = files.at("_stoplog")
      val staging = PartLayout.Staging(sinkId).root
      for {
        place <- Set(layout.root, staging).toVector
        file  <- files.filesUnder(files.at(place))(directory => place.nonEmpty || directory != own)
        path = files.relative(file.getPath)
        token <- if (path.startsWith(staging + "/")) Some(inStaging(path)) else layout.tokenOf(path)
      } yield Staged(token, file.getModificationTime)
    }
}
