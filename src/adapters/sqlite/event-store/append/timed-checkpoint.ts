import { checkpoint } from '../../file/open-connection.js'
import { type Database, reasonOf } from '../../file/driver.js'
import type { FromCheckpointer } from './protocol.js'

/** Makes a checkpoint, and says what it took or why it failed. Never throws. */
export function timedCheckpoint(db: Database): FromCheckpointer {
  const begun = performance.now()
  try {
    const done = checkpoint(db)
    // SQLite calls this no error, and says -1 pages.
    if (done.logged < 0) return { kind: 'failed', reason: 'another program is making one' }
    return { kind: 'done', ...done, seconds: (performance.now() - begun) / 1_000 }
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) }
  }
}
