import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import {
  CommittedReadModel,
  type CommittedFiles,
} from '../adapters/sqlite/read-model/committed-read-model.js'
import { logOver, serveReads } from '../adapters/sqlite/read-model/thread/serve-reads.js'

/**
 * The worker thread that computes previews. The read model runs in another thread, which follows
 * the log.
 */
const port = parentPort
if (port === null) throw new TypeError('this module must run as a worker thread')
const files = workerData as CommittedFiles
const lowest = 19
const lowerPriority = () => {
  // Lowers the priority only on Linux, because elsewhere it applies to the whole process.
  if (process.platform === 'linux') setPriority(lowest)
}
serveReads(new CommittedReadModel(files, lowerPriority), port, logOver(port))
