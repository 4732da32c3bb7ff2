import type { ReadModelOptions } from '../adapters/sqlite/read-model/opened-projections.js'
import { SqliteProjections } from '../adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../adapters/system/clock-and-ids.js'
import type { FactLog } from '../application/facts/ports/fact-log.js'
import type { Log } from '../application/ports/log.js'
import { RunningProjections } from '../application/reading/run-projections.js'

/** How long facts gather while nobody waits for them, in milliseconds. */
const gatherMs = 25

/** Opens the read model and begins to follow the log. Throws `StoreNotOpened`. */
export function openProjections(
  facts: FactLog,
  options: Pick<ReadModelOptions, 'path' | 'factsFile' | 'searchProperties'>,
  log: Log,
): RunningProjections {
  const projections = SqliteProjections.open({
    ...options,
    onDropped: (reason) => {
      log.warn({ reason }, 'the read model is built anew')
    },
    onDiverged: (diverged) => {
      log.error(
        diverged,
        'the log says something else of a segment: nothing more of it is published',
      )
    },
  })
  const running = new RunningProjections(facts, projections, { log, gatherMs, pause })
  running.start()
  return running
}
