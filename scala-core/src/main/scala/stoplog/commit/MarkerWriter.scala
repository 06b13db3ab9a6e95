// SPDX-License-Identifier: Apache-2.0
package stoplog.commit

import scala.annotation.tailrec

import stoplog.fault.{Faults, Step}
import stoplog.log.{LogRecord, Manifest, Marker, MarkerForm}
import stoplog.storage.PutOutcome

/** Carries out what a record has decided for the time after its parts are visible. Any process may do it, any number
  * of times: what is there already is left as it is (I6).
  */
private[commit] final class MarkerWriter(
    followUps: FollowUps,
    parallel: Parallel,
    retry: Retry,
    faults: Faults
) {
  import followUps.{listener, notes}

  /** Writes the list of files first, since a reader that sees a marker may look for them.
    *
    * Errors: `STOPLOG_STORE_WRITE`, and those of the listener.
    */
  def announce(record: LogRecord): Unit = {
    record.follow.manifest.foreach { manifest =>
      write(manifest, record)
      faults.at(Step.ManifestWritten)
    }
    val marked = parallel.map(record.follow.markers) { marker =>
      val found = mark(marker, marker.version)
      faults.at(Step.MarkerWritten)
      found
    }
    marked.foreach { bucket =>
      listener(bucket)
      faults.at(Step.ListenerCalled)
    }
  }

  private def write(manifest: Manifest, record: LogRecord): Unit = {
    val bytes = ManifestJson.bytes(manifest, record)
    retry(() => notes.putIfAbsent(manifest.path, bytes))
    ()
  }

  /** A name that another sink was faster to take is passed over, so that no marker is lost; one with this very content
    * is this marker, written by the process that carried out the record before.
    */
  @tailrec
  private def mark(marker: Marker, version: Int): MarkedBucket = {
    val path  = MarkerNames.path(marker.bucket, version)
    val bytes = MarkerJson.bytes(marker, version)
    if (isThere(path, bytes, marker.form)) MarkedBucket(marker.bucket, version, path, marker.total)
    else mark(marker, version + 1)
  }

  /** Empty markers are all alike. */
  private def isThere(path: String, bytes: Array[Byte], form: MarkerForm): Boolean = retry { () =>
    notes.putIfAbsent(path, bytes) match {
      case PutOutcome.Created => true
      case PutOutcome.Taken   => form == MarkerForm.Empty || notes.read(path).forall(_.sameElements(bytes))
    }
  }
}
