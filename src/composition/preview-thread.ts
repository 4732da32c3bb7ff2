import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import {
  CommittedReadModel,
  type CommittedFiles,
} from '../adapters/sqlite/read-model/committed-read-model.js'
import { logOver, serveReads } from '../adapters/sqlite/read-model/thread/serve-reads.js'

/** The thread that makes a preview, beside the one that follows the log. */
const port = parentPort
if (port === null) throw new TypeError('this module is a worker thread')
const files = workerData as CommittedFiles
const lowest = 19
// On Linux a thread has a priority of its own; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(lowest)
serveReads(new CommittedReadModel(files), port, logOver(port))
