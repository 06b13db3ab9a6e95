// SPDX-License-Identifier: Apache-2.0
package stoplog.qualify

import java.util.Arrays
import java.util.concurrent.atomic.AtomicBoolean

import scala.annotation.tailrec
import scala.util.{Random, Try}

import stoplog.storage.{FileStore, PutOutcome}

/** The promise that decides which driver writes a record. */
private[qualify] object CreatesOnce
    extends Promise("create", "of many writers that create one file at once, one succeeds", races = 1000) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val path     = s"$directory/$round"
    val bytes    = racers.indices.map(Racers.content(round, _))
    val outcomes = racers.together(racer => racers.files(racer).putIfAbsent(path, bytes(racer)))
    Racers.failure(outcomes).orElse {
      val winners = Racers.withResult(outcomes, PutOutcome.Created)
      val late    = racers.observer.putIfAbsent(path, Racers.content(round, Racers.Count))
      val content = racers.observer.read(path)
      broken(winners.size > 1, s"${winners.size} of ${Racers.Count} writers created the same file")
        .orElse(broken(late == PutOutcome.Created, "a later writer created a file that existed"))
        .orElse(broken(content.isEmpty, "a created file could not be read"))
        .orElse(broken(!bytes.exists(written(content, _)), "a created file had bytes of no writer"))
        .orElse(
          broken(
            winners.exists(winner => !written(content, bytes(winner))),
            "a created file had the bytes of a rejected writer"
          )
        )
    }
  }

  private def written(content: Option[Array[Byte]], bytes: Array[Byte]): Boolean =
    content.exists(Arrays.equals(_, bytes))
}

/** The promise by which a record is never read in part. */
private[qualify] object ShowsWholeFiles
    extends Promise("whole", "a reader sees a file as a whole, or not at all", races = 100) {
  private val bytes = new Array[Byte](256 << 10)
  new Random(1).nextBytes(bytes)

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val path     = s"$directory/$round"
    val done     = new AtomicBoolean(false)
    val outcomes = racers.all {
      case 0 =>
        try racers.files(0).putIfAbsent(path, bytes)
        finally done.set(true)
        None
      case racer => read(racers.files(racer), path, done)
    }
    racers.observer.delete(Seq(path))
    outcomes.flatten.headOption
  }

  /** Reads until the writer has ended, and once more. */
  @tailrec
  private def read(files: FileStore, path: String, done: AtomicBoolean): Option[String] = {
    val last = done.get()
    files.read(path) match {
      case Some(found) if !Arrays.equals(found, bytes) =>
        Some(s"a reader got ${found.length} of ${bytes.length} bytes of a file")
      case None if last => Some("a reader did not find a file after its creation")
      case _ if last    => None
      case _            => read(files, path, done)
    }
  }
}

/** The promise for the empty file which states that a record was carried out. */
private[qualify] object MarksOnce
    extends Promise("mark", "of many processes that set one mark at once, one succeeds", races = 200) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val path = s"$directory/$round.published"
    racers.observer.putIfAbsent(s"$directory/$round", Racers.content(round, 0))
    val outcomes = racers.together(racer => racers.files(racer).mark(path))
    Racers.failure(outcomes).orElse {
      val winners = Racers.withResult(outcomes, PutOutcome.Created)
      broken(winners.size > 1, s"${winners.size} of ${Racers.Count} processes set the same mark")
        .orElse(broken(!racers.observer.exists(path), "a mark was not found after its creation"))
    }
  }
}

/** The promise by which a driver finds the records of other drivers. */
private[qualify] object ListsAtOnce
    extends Promise(
      "list",
      "a listing shows each file as soon as it is created, and until it is deleted",
      races = 200
    ) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] = {
    val names   = racers.indices.map(racer => s"$round-$racer")
    val created = racers.all { racer =>
      val (files, path) = (racers.files(racer), s"$directory/${names(racer)}")
      files.putIfAbsent(path, Racers.content(round, racer))
      broken(
        !files.names(directory).contains(names(racer)),
        "a new file was not in the names of its directory"
      )
        .orElse(broken(files.list(directory, names(racer)).isEmpty, "a new file was not in a listing"))
    }
    lazy val others = racers.all { racer =>
      broken(
        !names.toSet.subsetOf(racers.files(racer).names(directory).toSet),
        "a listing lacked files of others"
      )
    }
    lazy val deleted = racers.all { racer =>
      val files = racers.files(racer)
      files.delete(Seq(s"$directory/${names(racer)}"))
      broken(files.names(directory).contains(names(racer)), "a deleted file was still in a listing")
    }
    created.flatten.headOption.orElse(others.flatten.headOption).orElse(deleted.flatten.headOption)
  }
}

/** The promise by which a process reads the newest state of a path that it may have read before. */
private[qualify] object ReadsAtOnce
    extends Promise(
      "read",
      "a read returns the newest bytes, also after a deletion and a new creation",
      races = 200
    ) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] =
    racers
      .all { racer =>
        val path                              = s"$directory/$round-$racer"
        val files                             = racers.files(racer)
        val other                             = racers.files((racer + 1) % Racers.Count)
        def newest(kind: Int): Option[String] = {
          val bytes   = Racers.content(round, racer * 2 + kind)
          val outcome = files.putIfAbsent(path, bytes)
          broken(outcome != PutOutcome.Created, "a file that had been deleted could not be created again")
            .orElse(
              broken(
                !other.read(path).exists(Arrays.equals(_, bytes)),
                "a read did not return the newest bytes"
              )
            )
            .orElse(
              broken(!other.stat(path).exists(_.bytes == bytes.length), "a new file had another length")
            )
        }
        def absent: Option[String] =
          broken(other.exists(path) || other.read(path).isDefined, "a deleted file was read")
        def delete(): Option[String] = {
          files.delete(Seq(path))
          absent
        }
        absent.orElse(newest(0)).orElse(delete()).orElse(newest(1)).orElse(delete())
      }
      .flatten
      .headOption
}

/** The right to delete, and a deletion that is complete. */
private[qualify] object Deletes
    extends Promise(
      "delete",
      "files and directories can be deleted, and nothing else is deleted",
      races = 50
    ) {

  override def race(racers: Racers, directory: String, round: Int): Option[String] =
    racers
      .all { racer =>
        val (files, own)   = (racers.files(racer), s"$directory/$round-$racer")
        val (inside, kept) = (s"$own/a/b/file", s"$own/ab")
        Seq(inside, kept).foreach(path => files.create(path)(_.write(Racers.content(round, racer))))
        files.deleteTree(s"$own/a")
        val left = files.walk(own)(_ => true).map(_.path)
        files.delete(Seq(kept))
        broken(left.contains(inside), "a file was still there after its directory had been deleted")
          .orElse(broken(!left.contains(kept), "a file outside of a deleted directory was deleted"))
          .orElse(broken(Try(files.read(kept)).toOption.flatten.isDefined, "a deleted file was read"))
      }
      .flatten
      .headOption
}
