// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.error.Errors
import stoplog.storage.{NoFiles, ReplacedFiles}

/** Finished parts on the simulated disk: one step each to go out of sight, to come back, and to be deleted. */
class SimFinished(world: World, log: String) extends ReplacedFiles(NoFiles, "main") {
  import world.{disk, op, oracle}

  override def sizeBytes(path: String): Option[Long] =
    op(s"look at $path") {
      oracle.looked(path)
      disk.finished.get(path).map(_.length.toLong)
    }

  /** A look at devices does not show rights. Where nothing can be renamed, an object is deleted for a trial, which shows both. */
  override def unhideable(paths: Seq[String]): Option[String] = {
    val shown = world.surroundings.refusals match {
      case Refusals.OtherDevice(directory)              => Some(directory)
      case Refusals.NoRight(directory) if !world.isDisk => Some(directory)
      case _                                            => None
    }
    shown.flatMap(directory => paths.find(_.startsWith(s"$directory/")))
  }

  override def hide(seq: Long, path: String): Unit = op(s"set $path aside for $seq") {
    world.refuseToMove(path)
    disk.finished.get(path).foreach { inode =>
      disk.oracle(inode.token).settingAside(log, seq, path, inode)
      disk.finished.remove(path)
      disk.aside.update(Aside(log, seq, path), inode)
    }
  }

  override def taken(seq: Long, paths: Seq[String]): Set[String] =
    op(s"look what is aside for $seq")(
      paths.filterNot(path => disk.aside.contains(Aside(log, seq, path))).toSet
    )

  override def restore(seq: Long, path: String): Unit = op(s"put $path back") {
    disk.aside.remove(Aside(log, seq, path)).foreach { inode =>
      if (disk.finished.contains(path)) throw Errors.nameTaken(path, "another file is there")
      disk.oracle(inode.token).puttingBack(Aside(log, seq, path), inode)
      disk.finished.update(path, inode)
    }
  }

  override def hidesAtOnce: Boolean = true

  override def restoreLate(seq: Long): Unit = mine.filter(_.seq == seq).foreach(key => restore(seq, key.path))

  override def keep(path: String, as: String): Unit = op(s"keep $path as $as") {
    val inode = disk.finished.getOrElse(
      path,
      throw Errors.storeWrite(path, SimParts.Missing, new java.io.IOException(path))
    )
    if (!disk.kept.contains(as)) disk.kept.update(as, inode)
  }

  /** A step only where there is something aside: whoever finds nothing might as well have looked at another time. */
  override def hiddenFor(): Vector[Long] =
    if (mine.isEmpty) Vector.empty else op("list what is aside")(mine.map(_.seq).distinct)

  override def purge(seq: Long): Unit =
    mine.filter(_.seq == seq).foreach { key =>
      op(s"delete ${key.path}, set aside for $seq") {
        disk.aside.remove(key).foreach(inode => disk.oracle(inode.token).forgetting(key, inode, disk))
      }
    }

  private def mine: Vector[Aside] = world.saw(disk.aside.keysIterator.filter(_.log == log).toVector)
}

object SimFinished {

  /** Of what is overwritten: nothing comes back where a move is a copy. */
  def ofOverwrites(world: World, log: String): ReplacedFiles = world.surroundings.store match {
    case StoreKind.Copying => new SimMoves(world, log) { override def restores: Boolean = false }
    case _                 => new SimFinished(world, log)
  }

  /** Of the kind that the world has. */
  def of(world: World, log: String): ReplacedFiles = world.surroundings.store match {
    case StoreKind.Copying => new SimMoves(world, log)
    case _                 => new SimFinished(world, log)
  }
}

/** Where nothing can be renamed: an object is read, another one made, and the first one deleted. */
sealed class SimMoves(world: World, log: String) extends SimFinished(world, log) {
  import world.{disk, op}

  override def taken(seq: Long, paths: Seq[String]): Set[String] = Set.empty

  /** A late copy may be older than the part that others have brought back. */
  override def hidesAtOnce: Boolean = false

  override def hide(seq: Long, path: String): Unit =
    op(s"read $path to set it aside")(disk.finished.get(path)).foreach { inode =>
      op(s"put it aside for $seq")(disk.aside.update(Aside(log, seq, path), inode))
      op(s"delete $path") {
        world.refuseToMove(path)
        if (disk.finished.get(path).exists(_ eq inode)) {
          disk.oracle(inode.token).settingAside(log, seq, path, inode)
          disk.finished.remove(path)
        }
      }
    }

  override def restore(seq: Long, path: String): Unit =
    op(s"read $path, set aside for $seq")(disk.aside.get(Aside(log, seq, path))).foreach { inode =>
      if (op(s"look at $path")(disk.finished.contains(path)))
        throw Errors.nameTaken(path, "another file is there")
      op(s"put $path back") {
        if (!disk.finished.contains(path)) disk.oracle(inode.token).puttingBack(Aside(log, seq, path), inode)
        disk.finished.update(path, inode)
      }
      op(s"delete $path, set aside for $seq")(disk.aside.remove(Aside(log, seq, path)))
    }
}
