// SPDX-License-Identifier: Apache-2.0
package stoplog.kafka.options

import stoplog.docs.OptionsReferenceRules

class KafkaOptionsPageSuite extends OptionsReferenceRules(KafkaOptionsPage)
