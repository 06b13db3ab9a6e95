package stoplog.matrix

import stoplog.fault.Step

/** On local disks every occurrence of each step and every pair of steps in a long run, otherwise the first or the
  * last occurrence.
  */
class CrashMatrixSuite extends MatrixSuite(Storage.Local) {
  private val steps              = Storage.Local.steps
  private val (thorough, sparse) = sites.partition(LocalSection.thorough)

  override protected def threads: Int = 2

  testOccurrences(sites)

  test("every layout and content passes each step equally often") {
    for (site <- sites) assert(occurrences(site) === occurrences(sites.head), site.name)
  }

  testFates(sites)

  test("woken at each occurrence of each step of a task, when the part it wrote may long be finished") {
    hold(for {
      step       <- Steps.ofTasks.toSeq
      occurrence <- 1 to occurrences(sites.head)(step)
    } yield Crash(sites.head, Doom.At(step, occurrence), Fate.Woken, again = None))
  }

  if (long)
    testPairs(
      thorough,
      for {
        step <- steps
        next <- steps
      } yield step -> next
    )

  // A batch job stages its parts in its own directory, whatever the layout of the sink.
  testBatchJobs(sites.filter(_.layout == Layout.Staging))((_, last) => 1 to last)

  testPage()

  override protected def section: String =
    LocalSection.render(occurrences(sites.head), batchOccurrences(_), thorough, sparse)

  override protected def tried(site: Site, fate: Fate, step: Step, last: Int): Seq[Int] =
    if (long && LocalSection.thorough(site)) 1 to last
    else if (long) Seq(1, (last + 1) / 2, last).distinct
    else
      fate match {
        case Fate.Killed => Seq(1, last).distinct
        case Fate.Frozen => Seq(1)
        case Fate.Woken  => Seq(last)
      }
}
