// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.part.RunId

/** The weaker promise of a store without writer detection: the store never reports that all other processes
  * have ended.
  */
abstract class UnannouncedLaws extends LawSuite {

  law("other runs count as possibly alive, for each sequence of attempts") { storage =>
    val store = storage.partStore()
    assert(!store.othersGone(run))
    store.enter(RunId("22222222-2222-4222-8222-222222222222")).close()
    store.enter(run).close()
    assert(!store.othersGone(run))
  }
}
