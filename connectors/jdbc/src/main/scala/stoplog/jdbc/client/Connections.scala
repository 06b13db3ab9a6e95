// SPDX-License-Identifier: Apache-2.0
package stoplog.jdbc.client

import stoplog.thread.StopSignal

/** The connections of the driver and of the tasks. Sent to the executors.
  *
  * @param pause waits before a repeated request, for the given number of milliseconds
  */
private[jdbc] final case class Connections(
    source: ConnectionSource,
    requests: RequestOptions,
    pause: Long => Unit = StopSignal.ofThisThread.pause(_)
) {
  def session(): Session = new Session(source, requests.timeoutSeconds)

  def retries(codes: FailureCodes): Retries = new Retries(requests, codes, pause)
}
