import { parentPort, workerData } from 'node:worker_threads'
import { type Database, reasonOf } from '../../file/driver.js'
import { openConnection } from '../../file/open-connection.js'
import type { FromCheckpointer, ToCheckpointer } from './protocol.js'
import { timedCheckpoint } from './checkpoints.js'

/**
 * A thread of its own for checkpoints: they copy pages and flush the database file, which takes far
 * longer than a commit, while the writer goes on writing its log.
 */
const port = parentPort
if (port === null) throw new TypeError('this module is a worker thread')
const { path } = workerData as { readonly path: string }
let db: Database | undefined = openConnection(path, 0)

port.on('message', (message: ToCheckpointer) => {
  if (message.kind === 'close') {
    db?.close()
    port.close()
    return
  }
  port.postMessage(makeCheckpoint())
})

/** What a connection read while the disk failed is not used again: the next checkpoint has a new one. */
function makeCheckpoint(): FromCheckpointer {
  try {
    db ??= openConnection(path, 0)
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) }
  }
  const made = timedCheckpoint(db)
  if (made.kind === 'failed') {
    db.close()
    db = undefined
  }
  return made
}
