import { parentPort, workerData } from 'node:worker_threads'
import { openConnection } from './open-connection.js'
import type { ToCheckpointer } from './protocol.js'
import { timedCheckpoint } from './timed-checkpoint.js'

/**
 * A thread of its own for checkpoints: they copy pages and flush the database file, which takes far
 * longer than a commit, while the writer goes on writing its log.
 */
const port = parentPort
if (port === null) throw new TypeError('this module is a worker thread')
const { path } = workerData as { readonly path: string }
const db = openConnection(path, 0)

port.on('message', (message: ToCheckpointer) => {
  if (message.kind === 'close') {
    db.close()
    port.close()
    return
  }
  port.postMessage(timedCheckpoint(db))
})
