import { parentPort, workerData } from 'node:worker_threads'
import { type Database, reasonOf } from '../../file/driver.js'
import { openConnection } from '../../file/open-connection.js'
import { OpenFiles } from '../../file/open-files.js'
import type { CheckpointerData, FromCheckpointer, ToCheckpointer } from './protocol.js'
import { timedCheckpoint } from './checkpoints.js'

/**
 * A thread of its own for checkpoints: they copy pages and flush the database file, which takes far
 * longer than a commit, while the writer goes on writing its log.
 */
const port = parentPort
if (port === null) throw new TypeError('this module is a worker thread')
const { path, identities } = workerData as CheckpointerData
const files = new OpenFiles(path, { identities })
let db: Database | undefined = open()

port.on('message', (message: ToCheckpointer) => {
  if (message.kind === 'close') {
    db?.close()
    port.close()
    return
  }
  port.postMessage(makeCheckpoint())
})

/** Throws where another file is in the place of the database: the log of the one would go into the other. */
function open(): Database {
  files.assertInPlace()
  return openConnection(path, 0)
}

/** What a connection read while the disk failed is not used again: the next checkpoint has a new one. */
function makeCheckpoint(): FromCheckpointer {
  try {
    db ??= open()
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
