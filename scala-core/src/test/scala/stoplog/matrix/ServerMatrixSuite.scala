package stoplog.matrix

import stoplog.fault.Step

/** On a storage with servers, where a cell takes seconds: a long run tries what [[ServerSection]] says, the ordinary
  * one each step once.
  */
abstract class ServerMatrixSuite(storage: Storage) extends MatrixSuite(storage) {
  private val plan = new ServerSection(storage)
  import plan.{main, other, pairs}

  override protected def threads: Int = 6

  testOccurrences(if (long) Seq(main, other) else Seq(main))

  testFates(if (long) Seq(main, other) else Seq(main))

  if (long) testPairs(Seq(main), pairs)

  override protected def section: String = plan.render(occurrences(main))

  override protected def tried(site: Site, fate: Fate, step: Step, last: Int): Seq[Int] =
    if (long) plan.tried(site, fate, step, last)
    else
      fate match {
        case Fate.Killed                       => Seq(if (storage.steps.indexOf(step) % 2 == 0) 1 else last)
        case Fate.Woken if Steps.ofTasks(step) => Seq(last)
        case Fate.Woken | Fate.Frozen          => Seq.empty
      }
}

class HdfsCrashMatrixSuite extends ServerMatrixSuite(Storage.Hdfs) {
  testPage()
}

class S3CrashMatrixSuite extends ServerMatrixSuite(Storage.S3) {
  override protected def threads: Int = 3 // each has some 100 MiB in its hands

  if (long) testPage()
}
