package stoplog.matrix

import stoplog.fault.Step

/** On a storage with servers, where a cell takes seconds: a long run tries what [[ServerSection]] says, the ordinary
  * one each step once.
  */
abstract class ServerMatrixSuite(storage: Storage) extends MatrixSuite(storage) {
  private val (main, others) = (sites.head, sites.tail)

  override protected def threads: Int = 6

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
    if (long && site == main) ServerSection.tried(last)
    else if (long) Seq(last).filter(_ => fateOf(site, step) == fate)
    else
      fate match {
        case Fate.Killed                       => Seq(if (storage.steps.indexOf(step) % 2 == 0) 1 else last)
        case Fate.Woken if Steps.ofTasks(step) => Seq(last)
        case Fate.Woken | Fate.Frozen          => Seq.empty
      }

  /** The fates take turns. */
  private def fateOf(site: Site, step: Step): Fate =
    Fate.all((sites.indexOf(site) + storage.steps.indexOf(step)) % Fate.all.size)
}

class HdfsCrashMatrixSuite extends ServerMatrixSuite(Storage.Hdfs)
