// SPDX-License-Identifier: Apache-2.0
package stoplog.error

/** How the errors of a module are made, of the name of a condition and what its template asks for.
  *
  * Here whatever they say goes through [[Redaction]], their causes included.
  */
private[stoplog] abstract class ErrorMaker {

  protected final def argument(condition: String, parameters: (String, Any)*): StoplogArgumentException =
    new StoplogArgumentException(condition, texts(parameters))

  protected final def argument(
      condition: String,
      cause: Throwable,
      parameters: (String, Any)*
  ): StoplogArgumentException =
    new StoplogArgumentException(condition, texts(parameters), Option(Redaction.cause(cause)))

  protected final def failure(condition: String, parameters: (String, Any)*): StoplogException =
    new StoplogException(condition, texts(parameters))

  protected final def failure(
      condition: String,
      cause: Throwable,
      parameters: (String, Any)*
  ): StoplogException = new StoplogException(condition, texts(parameters), Option(Redaction.cause(cause)))

  // The templates end the sentence themselves, and the whole message ends with its own SQLSTATE; causes often come with
  // a full stop and an SQLSTATE of their own.
  protected final def reason(why: String): String =
    String.valueOf(why).replaceAll("\\s*SQLSTATE: [0-9A-Z]{5}", "").trim.stripSuffix(".")

  /** The parameters of a template that lists problems, each a sentence. */
  protected final def listed(problems: Seq[String]): Seq[(String, Any)] =
    Seq("count" -> problems.size, "problems" -> problems.map("\n  - " + _).mkString)

  private def texts(parameters: Seq[(String, Any)]): Map[String, String] =
    parameters.map { case (name, value) => name -> Redaction.text(String.valueOf(value)) }.toMap
}
