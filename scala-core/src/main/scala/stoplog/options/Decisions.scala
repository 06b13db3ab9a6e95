// SPDX-License-Identifier: Apache-2.0
package stoplog.options

import stoplog.commit.{ForeignQuery, LostPart}

/** Options in the words of the commit protocol. */
private[stoplog] object Decisions {

  def of(asked: OnForeignQuery): ForeignQuery = asked match {
    case OnForeignQuery.Fail  => ForeignQuery.Refuse
    case OnForeignQuery.Adopt => ForeignQuery.Adopt
  }

  def of(asked: OnLostPart): LostPart = asked match {
    case OnLostPart.Fail => LostPart.Fail
    case OnLostPart.Skip => LostPart.Skip
  }
}
