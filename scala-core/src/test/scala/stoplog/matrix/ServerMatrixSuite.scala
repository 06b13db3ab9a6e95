package stoplog.matrix

import stoplog.fault.Step

/** On a storage with servers, where a cell takes seconds: in a long run the first, the middle and the last
  * occurrence of each step, and each step once in a pair; otherwise each step is tried once.
  */
abstract class ServerMatrixSuite(storage: Storage) extends MatrixSuite(storage) {
  private val (main, others) = (sites.head, sites.tail)

  override protected def threads: Int = 4

  testOccurrences(if (long) sites else sites.take(1))

  testFates(if (long) sites else sites.take(1))

  // With an odd stride through an odd number of steps each one comes first once and second once.
  private val pairs =
    storage.steps.indices.map { n =>
      storage.steps(n) -> storage.steps((n * ServerSection.Stride + 1) % storage.steps.size)
    }

  if (long) testPairs(Seq(main), pairs)

  testPage()

  override protected def section: String = ServerSection.render(storage, occurrences, pairs, main, others)

  override protected def tried(site: Site, fate: Fate, step: Step, last: Int): Seq[Int] =
    if (long && site == main) Seq(1, (last + 1) / 2, last).distinct
    else if (long) Seq(if (fate == Fate.Killed) (last + 1) / 2 else last)
    else
      fate match {
        case Fate.Killed                       => Seq(if (storage.steps.indexOf(step) % 2 == 0) 1 else last)
        case Fate.Woken if Steps.ofTasks(step) => Seq(last)
        case Fate.Woken | Fate.Frozen          => Seq.empty
      }
}

class HdfsCrashMatrixSuite extends ServerMatrixSuite(Storage.Hdfs)
