// SPDX-License-Identifier: Apache-2.0
package stoplog.options

/** The kinds of entries that the registry has. */
private[stoplog] trait OptionForms {

  protected def required(
      group: OptionGroup,
      key: String,
      kind: String,
      meaning: String,
      example: String
  ): SinkOption =
    option(group, key, kind, "required", meaning, example)

  protected def withDefault(
      group: OptionGroup,
      key: String,
      kind: String,
      default: String,
      meaning: String,
      example: String
  ): SinkOption = SinkOption(key, kind, Some(default), s"`$default`", meaning, example, "0.1.0", group)

  protected def option(
      group: OptionGroup,
      key: String,
      kind: String,
      unset: String,
      meaning: String,
      example: String
  ): SinkOption = SinkOption(key, kind, None, unset, meaning, example, "0.1.0", group)

  protected def marker(key: String, default: String, meaning: String, example: String): SinkOption =
    withDefault(
      OptionGroup.Name,
      key,
      "text",
      default,
      s"$meaning Only with `inProgress` = `bucket`.",
      example
    )

  protected def validLength(key: String, default: String, meaning: String, example: String): SinkOption =
    withDefault(
      OptionGroup.Recovery,
      key,
      "text",
      default,
      s"$meaning Only with `useTruncate` = `false`.",
      example
    )
}
