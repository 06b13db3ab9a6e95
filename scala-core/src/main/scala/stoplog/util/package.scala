// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Objects of users' classes, made from names in options.
  */
package object util
