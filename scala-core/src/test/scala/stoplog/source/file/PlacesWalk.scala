// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import scala.collection.mutable
import scala.util.Random

import stoplog.error.StoplogException
import stoplog.storage.{ForwardingSourceFiles, Found, SourceFiles}
import stoplog.thread.Clock

/** A random life of one query: files come and are deleted, directories are away for a while, rules change between runs,
  * and the wall clock steps. In the end each row was read once, and the state is that of the files that are there.
  */
private[stoplog] final class PlacesWalk(seed: Long, cleaning: CleanSource, mutation: PlacesMutation) {
  import PlacesWalk._

  private val random = new Random(seed)
  private val world  = new SourceWorld(
    cleaning = cleaning,
    absence = mutation.limits,
    seenLimits = SeenFiles.SeenLimits(500, 500, bytes = 4096)
  )
  private val lines = mutable.LinkedHashMap.empty[String, String] // by their files
  private var count = 0
  private var isOnce = false // whether the run reads the files that were there when it began
  private var away   = Option.empty[Away]

  if (random.nextBoolean()) world.files.clock = Some(() => world.now)
  if (random.nextInt(4) == 0) world.files.appends = true
  world.storage = mutation.files(world.files, () => world.rules)
  world.clocks = mutation.clock(world.clocks)
  world.restart()

  /** Throws a [[Wrong]]. */
  def run(): Unit = {
    for (_ <- 1 to 60) {
      step()
      batch()
    }
    putBack()
    world.rules = PathRules.all
    world.restart()
    isOnce = false
    for (_ <- 1 to 4) {
      world.now += Day
      batch()
    }
    for (_ <- 1 to 3) {
      feed()
      batch()
    }
    val twice = world.read.diff(world.read.distinct)
    if (twice.nonEmpty) throw new Wrong(s"read twice: $twice")
    val lost = lines.values.toVector.diff(world.read)
    if (lost.nonEmpty) throw new Wrong(s"not read: $lost")
    val bytes = world.state.files.values.map(_.length.toLong).sum
    if (bytes > MostBytes) throw new Wrong(s"$bytes bytes of state for ${world.files.paths.size} files")
  }

  private def step(): Unit = random.nextInt(12) match {
    case 0 | 1 | 2 => if (away.isEmpty) feed()
    case 3         =>
      if (away.isEmpty)
        world.files.paths
          .find(path => lines.get(path).exists(world.read.contains))
          .foreach(world.files.delete)
    case 4 | 5 => if (away.isEmpty) takeAway()
    case 6     => putBack()
    case 7     => restart(if (away.isEmpty) rules(random.nextInt(rules.size)) else world.rules)
    case 8     => world.wallError += (random.nextInt(7) - 3) * Hour
    case 9     =>
      world.files.device += 1
      restart(world.rules)
    case _ => pass()
  }

  /** A directory that was renamed is not away for a day; a disk may be. */
  private def pass(): Unit = {
    val longest = if (away.exists(_.isRenamed)) Hour else 3 * Day
    world.now += random.nextLong(longest)
    away = away.map(one => one.copy(hours = one.hours + 1))
    if (away.exists(one => one.isRenamed && one.hours > 3)) putBack()
  }

  private def feed(): Unit = {
    count += 1
    val suffix = if (random.nextBoolean()) "txt" else "csv"
    val line   = put(s"${directories(1 + random.nextInt(3))}/f$count.$suffix")
    if (world.rules == PathRules.all && !isOnce) {
      batch()
      if (!world.read.contains(line)) throw new Wrong(s"$line is not read when it comes")
    }
  }

  private def put(path: String): String = {
    val line = s"line$count"
    world.files.put(path, s"$line\n", 1)
    lines(path) = line
    line
  }

  /** Also between the reading of a micro-batch and its commit. */
  private def takeAway(): Unit = {
    val directory     = directories(random.nextInt(directories.size))
    val renamed       = random.nextBoolean()
    def begin(): Unit = if (away.isEmpty) {
      if (renamed) world.files.takeAway(directory) else world.files.unmount(directory)
      away = Some(Away(directory, renamed, 0))
    }
    if (random.nextBoolean()) {
      count += 1
      put(s"${directories(1)}/g$count.txt")
      world.beforeCommit = () => begin()
      batch()
      world.beforeCommit = () => ()
    }
    begin()
  }

  private def putBack(): Unit = {
    away.foreach(one => world.files.putBack(one.directory))
    away = None
  }

  private def restart(rules: PathRules): Unit = {
    world.rules = rules
    world.restart()
    isOnce = random.nextBoolean()
    if (isOnce) world.driver.fixTarget()
  }

  private def batch(): Unit = {
    try world.all()
    catch { case e: StoplogException if e.getCondition == "STOPLOG_SOURCE_AWAY" => world.restart() }
    world.now += random.nextLong(20 * 60 * 1000L)
    ()
  }
}

private[stoplog] object PlacesWalk {
  private final val Hour      = 60 * 60 * 1000L
  private final val Day       = 24 * Hour
  private final val MostBytes = 16 * 1024L

  private val directories = Vector("", "a", "b/c", "b")

  private val rules = Vector(
    PathRules.all,
    PathRules.all.copy(names = Glob.parse("*.txt").toOption),
    PathRules.all.copy(nesting = Nesting.Flat),
    PathRules(Vector(Vector(Glob.parse("a").toOption.get)), None, Nesting.Recursive)
  )

  private final case class Away(directory: String, isRenamed: Boolean, hours: Int)

  final class Wrong(message: String) extends RuntimeException(message)
}

/** A source with one of its rules taken out, by storages, clocks and limits that lie to it. */
private[stoplog] trait PlacesMutation {
  def limits: Monitoring.AbsenceLimits                              = Monitoring.AbsenceLimits()
  def files(real: MemoryFiles, rules: () => PathRules): SourceFiles = real
  def clock(real: Clock): Clock                                     = real
}

private[stoplog] object PlacesMutation {

  /** The source as it is. */
  object Unchanged extends PlacesMutation

  /** Another directory counts as the same one. */
  object AnyDirectory extends PlacesMutation {
    override def limits: Monitoring.AbsenceLimits =
      Monitoring.AbsenceLimits(onOther = Monitoring.OtherDirectory.Accept)
  }

  /** Two listings forget a file. */
  object NoTime extends PlacesMutation {
    override def limits: Monitoring.AbsenceLimits = Monitoring.AbsenceLimits(forgetMillis = 0)
  }

  /** The listing does not report the names that the rules leave out. */
  object OnlyWanted extends PlacesMutation {
    override def files(real: MemoryFiles, rules: () => PathRules): SourceFiles = new ForwardingSourceFiles(
      real
    ) {
      override def list(directory: String)(each: Found => Unit): Unit = {
        val rule = rules().in(directory)
        real.list(directory) { found =>
          if (if (found.kind == Found.Directory) rule.enters(found.name) else rule.takes(found.name))
            each(found)
        }
      }
    }
  }

  /** A file that the cleaner does not find counts as put away. */
  object CleanerTrusts extends PlacesMutation {
    override def files(real: MemoryFiles, rules: () => PathRules): SourceFiles = new ForwardingSourceFiles(
      real
    ) {
      private val was = mutable.Map.empty[String, Found]

      override def list(directory: String)(each: Found => Unit): Unit = real.list(directory) { found =>
        was((directory + "/" + found.name).stripPrefix("/")) = found
        each(found)
      }

      override def find(path: String): Option[Found] =
        real.find(path).orElse(was.get(path).filter(_.kind != Found.Directory))

      override def delete(path: String): Boolean = {
        real.delete(path)
        true
      }
    }
  }

  /** Intervals are differences of the time of day. */
  object WallIntervals extends PlacesMutation {
    override def clock(real: Clock): Clock = new Clock {
      override def millis(): Long        = real.millis()
      override def elapsedMillis(): Long = real.millis()
    }
  }
}
