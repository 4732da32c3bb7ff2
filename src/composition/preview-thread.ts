import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import {
  CommittedReadModel,
  type CommittedFiles,
} from '../adapters/sqlite/read-model/committed-read-model.js'
import { logOver, serveReads } from '../adapters/sqlite/read-model/thread/serve-reads.js'

/** The thread that computes previews, beside the thread that follows the log. */
const port = parentPort
if (port === null) throw new TypeError('this module is a worker thread')
const files = workerData as CommittedFiles
const lowest = 19
const lowerPriority = () => {
  // Only on Linux is the priority that of the thread. Elsewhere it applies to the whole process.
  if (process.platform === 'linux') setPriority(lowest)
}
serveReads(new CommittedReadModel(files, lowerPriority), port, logOver(port))
