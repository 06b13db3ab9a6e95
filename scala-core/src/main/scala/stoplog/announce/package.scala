// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Announcements: messages to other systems about files that readers can see.
  *
  * A target implements [[announce.AnnouncementTarget]]. A target that stores its position together with the
  * data implements [[announce.PositionedTarget]]. A [[announce.TargetFactory]] creates targets from options.
  * The package does not depend on logs, Spark or options.
  */
package object announce
