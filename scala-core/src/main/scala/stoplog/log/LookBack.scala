// SPDX-License-Identifier: Apache-2.0
package stoplog.log

/** The look that decides, in each log whose old records are removed, whether a record that was created counts: it does
  * if nothing newer is there afterwards (I3, decision 0001).
  *
  * A writer that slept while others wrote more records than are kept finds its place free again. The newest record is
  * never removed, so a writer that was overtaken sees it.
  */
private[stoplog] object LookBack {

  /** The record that overtook this one, if one did.
    *
    * @param there all records, listed after this one was created
    */
  def overtaking(record: Long, there: Iterable[Long]): Option[Long] = there.maxOption.filter(_ > record)
}
