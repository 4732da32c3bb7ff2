import { parentPort, workerData } from 'node:worker_threads'
import { checkpoint } from './checkpoint.js'
import { openConnection } from './open-connection.js'
import type { FromCheckpointer, ToCheckpointer } from './protocol.js'
import { reasonOf } from './reason-of.js'

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
  port.postMessage(run())
})

function run(): FromCheckpointer {
  try {
    const begun = performance.now()
    const done = checkpoint(db)
    return { kind: 'done', ...done, seconds: (performance.now() - begun) / 1_000 }
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) }
  }
}
