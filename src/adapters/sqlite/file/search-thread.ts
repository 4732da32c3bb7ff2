import { parentPort, workerData } from 'node:worker_threads'
import { searchHere, type Search } from './search-files.js'

/** A thread that makes one search, and ends. */
parentPort?.postMessage(await searchHere(workerData as Search))
