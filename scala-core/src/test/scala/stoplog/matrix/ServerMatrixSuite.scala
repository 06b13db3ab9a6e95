package stoplog.matrix

import stoplog.fault.Step

/** On a storage with servers, where a cell takes seconds: a long run tries what [[ServerSection]] says, the ordinary
  * one each step once.
  */
abstract class ServerMatrixSuite(storage: Storage) extends MatrixSuite(storage) {
  private val plan = new ServerSection(storage)
  import plan.{blocks, main, other, pairs}

  private val all = if (long) main +: other +: blocks.toSeq else main +: blocks.toSeq

  override protected def threads: Int = 6

  testOccurrences(all)

  testFates(all)

  if (long) for (site <- main +: blocks.toSeq) testPairs(site, pairs(site))

  override protected def section: String = plan.render(occurrences(_))

  override protected def tried(site: Site, fate: Fate, step: Step, last: Int): Seq[Int] =
    if (long) plan.tried(site, fate, step, last)
    else if (blocks.contains(site)) Seq(last).filter(_ => fate == Fate.Killed && Steps.ofBlocks(step))
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
