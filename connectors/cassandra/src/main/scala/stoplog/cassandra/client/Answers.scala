// SPDX-License-Identifier: Apache-2.0
package stoplog.cassandra.client

import com.datastax.oss.driver.api.core.CqlSession
import com.datastax.oss.driver.api.core.config.DefaultDriverOption

/** How long an answer of the driver's may take. */
private[cassandra] object Answers {

  /** Longer than the driver itself waits for the cluster, and not for ever: what the driver does not answer by then, it has
    * lost, and it is asked again.
    */
  def limitMillis(session: CqlSession): Long = {
    val timeout =
      session.getContext.getConfig.getDefaultProfile.getDuration(DefaultDriverOption.REQUEST_TIMEOUT).toMillis
    // The driver takes 0 for no limit.
    if (timeout <= 0) Long.MaxValue else timeout * 2
  }
}
