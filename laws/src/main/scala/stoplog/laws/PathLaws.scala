// SPDX-License-Identifier: Apache-2.0
package stoplog.laws

import stoplog.part.{Closed, Resume}

/** The laws of stores whose tokens are paths: a store rejects each token and each final name outside the
  * place.
  */
abstract class PathLaws extends LawSuite {

  law("a token that leads outside the directory is rejected by name, and no file is changed") { storage =>
    val store = storage.partStore()
    for (path <- PathLaws.elsewhere) {
      assert(condition(store.publish(Closed(path), 5, "b/part-1.txt")) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.resume(Resume(path), 5)) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.takeOver(Resume(path), 5, part())) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.isolate(Resume(path), 5, part())) === "STOPLOG_PATH_ELSEWHERE", path)
      assert(condition(store.discard(path)) === "STOPLOG_PATH_ELSEWHERE", path)
    }
    assert(storage.visible().isEmpty)
  }

  law("a final name that leads outside the directory is rejected by name, and the part is kept") { storage =>
    val store = storage.partStore()
    val open  = leftOpen(store, "rows\n")
    for (path <- PathLaws.elsewhere)
      assert(condition(store.publish(open, 5, path)) === "STOPLOG_PATH_ELSEWHERE", path)
    assert(isStaged(store, open) && storage.visible().isEmpty)
  }
}

object PathLaws {

  /** Paths that every store rejects. */
  val elsewhere: Seq[String] =
    Seq("/tmp/part-1.txt", "../part-1.txt", "b/../../part-1.txt", "b/..", "..", "b/part\u0000.txt")
}
