// SPDX-License-Identifier: Apache-2.0
package stoplog.admin

import com.fasterxml.jackson.databind.ObjectMapper
import com.fasterxml.jackson.databind.node.ObjectNode
import org.apache.hadoop.conf.Configuration

import stoplog.qualify.{Safety, StoreQualification, StoreVerdict, TriedPromise}

/** Qualifies a storage for sinks and sources. Needs no sink under the path. */
private[admin] object QualifyCommand {

  /** Returns the verdict as a JSON object. Errors: those of the storage's provider. */
  def answer(path: String, configuration: Configuration, progress: ProgressLines): String = {
    val verdict = new StoreQualification().of(path, configuration, progress.to)
    json(verdict)
  }

  private[admin] def json(verdict: StoreVerdict): String = {
    val mapper = new ObjectMapper()
    val node   = mapper.createObjectNode()
    node.put("command", "qualify").put("url", verdict.url).put("verdict", verdict.safety.word)
    val (settings, reasons) = verdict.safety match {
      case Safety.Safe            => (Vector.empty, Vector.empty)
      case Safety.SafeWith(these) => (these, Vector.empty)
      case Safety.Unsafe(these)   => (Vector.empty, these)
    }
    texts(node, "settings", settings)
    texts(node, "reasons", reasons)
    texts(node, "notes", verdict.notes)
    val promises = node.putArray("promises")
    verdict.tried.foreach(promise => write(promise, promises.addObject()))
    node.put("seconds", verdict.seconds)
    verdict.left.foreach(node.put("left", _))
    mapper.writeValueAsString(node)
  }

  private def texts(node: ObjectNode, field: String, values: Vector[String]): Unit = {
    val array = node.putArray(field)
    values.foreach(value => array.add(value))
  }

  private def write(promise: TriedPromise, into: ObjectNode): Unit = {
    into.put("name", promise.name).put("what", promise.what).put("races", promise.races)
    promise.violation.foreach(into.put("violation", _))
    ()
  }
}
