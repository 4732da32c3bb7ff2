import type { TimedFact } from '../segments/log-facts.js'
import { serialOf } from './load-requests.js'
import type { ReplicaLoad } from './replica-load.js'

/** Finds `lost` writes, which were acknowledged and are missing, and `doubled` writes, which are stored twice. */
export function writesIn(log: readonly TimedFact[], { acknowledged }: ReplicaLoad) {
  const found = log.map(serialOf).filter((serial) => serial !== undefined)
  const distinct = new Set(found)
  return {
    found: distinct.size,
    lost: [...acknowledged].filter((serial) => !distinct.has(serial)),
    doubled: found.filter((serial, at) => found.indexOf(serial) !== at),
  }
}
