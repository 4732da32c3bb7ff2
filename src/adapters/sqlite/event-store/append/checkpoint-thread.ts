import { parentPort, workerData } from 'node:worker_threads'
import { type Database, reasonOf } from '../../file/driver.js'
import { openConnection } from '../../file/open-connection.js'
import { OpenFiles } from '../../file/open-files.js'
import type { CheckpointerData, FromCheckpointer, ToCheckpointer } from './protocol.js'
import { timedCheckpoint } from './checkpoints.js'

/**
 * Entry point of the checkpoint thread. A WAL checkpoint copies pages and flushes the database file, and needs
 * far more time than a commit. In a separate thread, the WAL checkpoint does not block the writer thread, which
 * continues to write the WAL.
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

/**
 * Opens a connection to the database. Throws when another file is at the path now, because a WAL checkpoint would
 * copy the WAL of one database into another database.
 */
function open(): Database {
  files.assertInPlace()
  return openConnection(path, 0)
}

/**
 * Makes a WAL checkpoint and returns its result. After a failure, closes the connection, because the connection
 * may have read wrong data from the disk. The next call opens a new connection.
 */
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
