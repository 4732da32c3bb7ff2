import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'

/** The largest heap of the thread that reads. */
const maxHeapMebibytes = 1_024
/**
 * Its young objects have three times as much room as usual: states of entities wait for a commit, and
 * each collection of a smaller room copies them. It saves a sixth of what a fact costs with a hundred segments.
 */
const youngMebibytes = 144

/** Starts a thread that reads: a module that runs `serveReads`, and what it is given. */
export function startReader(module: URL, workerData: unknown): Worker {
  return new Worker(module, { workerData, resourceLimits: heapOfReader() })
}

/**
 * A thread that fills its heap ends alone, and is started again. It may have as much as the whole process
 * by default, and no more than it can use.
 */
function heapOfReader() {
  const mebibytes = getHeapStatistics().heap_size_limit / 1_048_576
  return {
    maxOldGenerationSizeMb: Math.min(mebibytes, maxHeapMebibytes),
    maxYoungGenerationSizeMb: youngMebibytes,
  }
}
