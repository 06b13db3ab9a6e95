// SPDX-License-Identifier: Apache-2.0
package stoplog.wal.docs

import stoplog.docs.OptionsReferenceRules

class WriteAheadOptionsPageSuite extends OptionsReferenceRules(OptionsPage)
