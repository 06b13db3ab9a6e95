// SPDX-License-Identifier: Apache-2.0
package stoplog.source.file

import java.util.Arrays

/** Finds entries by the half id of their [[FileMark]]. Uses four bytes for each entry. An entry must not move
  * or change while the index is used.
  *
  * @param places the places of the entries, sorted by id
  * @param id     returns the half id of the entry at a place
  */
private[file] final class IdIndex private (places: Array[Int], id: Int => Int) {

  /** Returns the places of all entries with this half id. The cost grows with the logarithm of the size. */
  def find(half: Int): Iterator[Int] = {
    var low  = 0
    var high = places.length
    while (low < high) {
      val middle = (low + high) >>> 1
      if (id(places(middle)) < half) low = middle + 1 else high = middle
    }
    places.iterator.drop(low).takeWhile(id(_) == half)
  }
}

private[file] object IdIndex {

  /** @param places in any order; entries without an id are not indexed */
  def of(places: Iterator[Int])(id: Int => Int): IdIndex = {
    val keys = places.filter(id(_) != 0).map(place => (id(place).toLong << 32) | place).toArray
    Arrays.sort(keys)
    new IdIndex(keys.map(_.toInt), id)
  }
}
