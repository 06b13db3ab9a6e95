// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** The error of a driver that has lost its sink or source to another driver. */
private[stoplog] object OwnerErrors extends ErrorMaker {

  /** @param what     a sink or a source, with its place
    * @param evidence a clause that names what belongs to the other driver
    */
  def fenced(what: String, evidence: String): StoplogException =
    failure("STOPLOG_FENCED", "what" -> what, "evidence" -> evidence)
}
