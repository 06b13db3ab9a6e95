// SPDX-License-Identifier: Apache-2.0
package stoplog.sim

import stoplog.store.{JobStore, SetAside}

/** A batch job's own directory. What is on top of the sink's path are the buckets: as a directory each, which is renamed
  * as a whole, or as all objects with this beginning, which are deleted one by one.
  */
final class SimJobs(world: World, job: String) extends JobStore {
  import world.{disk, op}

  override def visible(): Vector[String] =
    op("list what is on top")(disk.finished.keys.toVector).map(_.takeWhile(_ != '/')).distinct

  override def prepare(): Unit = world.surroundings.store match {
    case StoreKind.Renaming => op(s"make the place of $job")(disk.places.getOrElseUpdate(job, Set.empty)); ()
    case _                  => ()
  }

  override def setsAsideOnce: Boolean = world.surroundings.store == StoreKind.Renaming

  override def setAside(entry: String): SetAside = world.surroundings.store match {
    case StoreKind.Linking =>
      op(s"set $entry aside for $job")(under(entry).foreach(overwrite))
      SetAside.Done
    case StoreKind.Renaming => op(s"set $entry aside for $job, once")(once(entry))
    case StoreKind.Copying  =>
      op(s"list $entry")(under(entry)).foreach(name => op(s"delete $name for $job")(overwrite(name)))
      SetAside.Done
  }

  private def once(entry: String): SetAside = disk.places.get(job) match {
    case None                        => SetAside.JobIsOver
    case Some(taken) if taken(entry) => SetAside.Done
    case Some(taken)                 =>
      disk.places.update(job, taken + entry)
      under(entry).foreach(overwrite)
      SetAside.Done
  }

  /** As the stores do it: the newest record last, as far as the order of the directory tells which that is. */
  override def remove(): Unit = {
    if (disk.places.contains(job)) op(s"remove the place of $job")(disk.places.remove(job))
    val listed = op(s"list the records of $job")(world.listed(disk.log(job).records.keysIterator).toVector)
    listed.foreach(seq => op(s"delete record $seq of $job")(disk.log(job).records.remove(seq)))
    op(s"remove $job")(disk.logs.remove(job))
    ()
  }

  override def untouchedSince(millis: Long): Boolean = false

  private def under(entry: String): Vector[String] =
    disk.finished.keys.filter(_.startsWith(s"$entry/")).toVector

  private def overwrite(name: String): Unit =
    disk.finished.remove(name).foreach(world.oracle.overwriting(job, name, _))
}
