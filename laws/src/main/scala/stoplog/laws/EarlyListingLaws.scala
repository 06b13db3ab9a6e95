// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

/** Recovery lists a part from its creation on, and so finds the part if its task dies. */
abstract class EarlyListingLaws extends LawSuite {

  law("a part is listed while it is written") { storage =>
    val store   = storage.partStore()
    val writing = append(store.create(part("", "part-0.txt")), "x")
    val seen    = storage.partStore().staged().map(_.token)
    assert(seen === Vector(writing.persist().token))
  }
}

/** The alternative promise, of stores whose files appear when they are closed: a task that dies leaves no
  * files.
  */
abstract class LateListingLaws extends LawSuite {

  law("a part is listed once it is closed, and not before") { storage =>
    val store   = storage.partStore()
    val writing = append(store.create(part("", "part-0.txt")), "x")
    assert(storage.partStore().staged().isEmpty)
    val open = writing.persist()
    assert(storage.partStore().staged().map(_.token) === Vector(open.token))
  }
}
