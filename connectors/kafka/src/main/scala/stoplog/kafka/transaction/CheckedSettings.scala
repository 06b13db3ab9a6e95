// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.transaction

import java.util.concurrent.{ConcurrentHashMap, TimeUnit}

import stoplog.kafka.client.ProducerSettings
import stoplog.thread.Clock

/** The settings of transactional producers that have passed the checks of a start. The checks connect to the
  * brokers, which takes about a quarter of the time of a small batch job. Jobs that follow one another, such
  * as those of `foreachBatch`, have the same settings, so the checks are valid for a minute. The brokers also
  * reject a producer that exceeds their limits.
  *
  * @param check throws if the settings are invalid
  */
private[kafka] final class CheckedSettings(clock: Clock, check: ProducerSettings => Unit) {
  import CheckedSettings._

  private val passed = new ConcurrentHashMap[ProducerSettings, java.lang.Long]()

  /** Checks the settings, unless they have passed recently. Failed checks are repeated.
    *
    * Errors: `STOPLOG_INVALID_OPTIONS`; `STOPLOG_UNREACHABLE` if no broker responds.
    */
  def refuseInvalid(settings: ProducerSettings): Unit = {
    val now = clock.elapsedMillis()
    passed.values.removeIf(now - _ >= ValidMillis)
    if (!passed.containsKey(settings)) {
      check(settings)
      passed.put(settings, now)
      ()
    }
  }
}

private[kafka] object CheckedSettings {

  /** The settings of this process. */
  val shared = new CheckedSettings(
    Clock.system,
    settings => {
      settings.refuseInvalid(settings.transactional("stoplog-settings"))
      BrokerLimits.check(settings)
    }
  )

  private val ValidMillis = TimeUnit.MINUTES.toMillis(1)
}
