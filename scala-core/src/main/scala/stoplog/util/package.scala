// SPDX-License-Identifier: Apache-2.0
package stoplog

/** Objects of user-defined classes, created from names in options. */
package object util
