import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { keysFiles } from '../adapters/api-keys/manage-keys.js'
import type { CommittedFiles } from '../adapters/sqlite/read-model/committed-read-model.js'
import { ReadThread, startReader } from '../adapters/sqlite/read-model/thread/read-thread.js'
import { databaseFiles, foundPath, haveSharedFile } from '../adapters/sqlite/file/paths.js'
import { inMemory } from '../adapters/sqlite/read-model/read-model-file.js'
import { readModelFiles } from '../adapters/sqlite/read-model/read-model-files.js'
import type { Log } from '../application/ports/log.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import { readerWithin, type PreviewReader } from '../application/reading/preview-rule.js'
import { SettingsWrong, type Settings } from './settings.js'
import type { LogOptions, OpenStore } from './store-kind.js'
import { storeKindOf } from './stores.js'
import type { ReadModelOptions } from '../adapters/sqlite/read-model/opened-projections.js'
import { SqliteProjections } from '../adapters/sqlite/read-model/sqlite-projections.js'
import { pause } from '../adapters/system/clock-and-ids.js'
import type { FactLog } from '../application/facts/ports/fact-log.js'
import type { StreamReader } from '../application/ports/exact-appends.js'
import { RunningProjections } from '../application/reading/run-projections.js'

export interface ReadModelSettings {
  readonly readModel: string
  readonly searchProperties: readonly string[]
  readonly log: LogOptions
}

const fileName = 'read-model.db'
const off = 'off'

/**
 * Opens the read model of this process. Returns undefined when it is off. The read model runs in its own
 * thread, unless only this thread can read the store. Throws `StoreNotOpened` and `SettingsWrong`.
 */
export async function openReadModel(
  settings: Settings,
  store: OpenStore,
  log: Log,
): Promise<ReadModel | undefined> {
  const { storeUrl: url, storeTimeoutMs: timeoutMs, searchProperties } = settings
  const { readModel } = readModelPlaces(settings)
  if (readModel === undefined) return undefined
  if (readModel !== inMemory) refuseSharedFiles(readModel, settings)
  if (store.log !== undefined)
    return openProjections(
      store.log,
      { path: readModel, factsFile: undefined, searchProperties },
      log,
    )
  const { commitMemory } = store
  const given: ReadModelSettings = {
    readModel,
    searchProperties,
    log: { url, timeoutMs, commitMemory },
  }
  const module = new URL('./read-thread.js', import.meta.url)
  return ReadThread.open({ start: () => startReader(module, given), log })
}

/**
 * Opens readers for previews, each in its own thread, unless the read model is in the memory of one thread.
 */
export function previewReaders(
  settings: Settings,
  model: ReadModel,
  log: Log,
): () => Promise<PreviewReader> {
  const { readModel, factsFile } = readModelPlaces(settings)
  if (readModel === undefined || readModel === inMemory) {
    return () => Promise.resolve(readerWithin(model))
  }
  const files: CommittedFiles = { readModel: foundPath(readModel), factsFile }
  const module = new URL('./preview-thread.js', import.meta.url)
  const start = () => new Worker(module, { workerData: files, resourceLimits: previewHeap })
  return () => ReadThread.open({ start, log })
}

/** The heap of a preview, which holds one entity and some facts at a time. */
const previewHeap = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

/**
 * Checks, before any file is created, that no other file has the path of the read model: it would be moved or
 * replaced.
 */
function refuseSharedFiles(readModel: string, { storeUrl, apiKeysFile }: Settings): void {
  const files = readModelFiles(foundPath(readModel))
  const others = [
    ['STORE_URL', storeKindOf(storeUrl)?.reads?.files(storeUrl) ?? []],
    ['API_KEYS_FILE', keysFiles(apiKeysFile)],
  ] as const
  const faults = others
    .filter(([, theirs]) => haveSharedFile(files, theirs))
    .map(([setting]) => `READ_MODEL and its files must be others than ${setting} and its files`)
  if (faults.length > 0) throw new SettingsWrong(faults)
}

/** Returns the files of the read model. Empty when it has no file. Throws `SettingsWrong`. */
export function filesOfReadModel(settings: Settings): readonly string[] {
  const { readModel } = readModelPlaces(settings)
  if (readModel === undefined || readModel === inMemory) return []
  return databaseFiles(foundPath(readModel))
}

interface ReadModelPlaces {
  /** A file, or `memory:`. Undefined when the read model is off. */
  readonly readModel: string | undefined
  readonly factsFile: string | undefined
}

/** Returns the places of the read model and of the facts. Throws `SettingsWrong`. */
export function readModelPlaces({
  storeUrl,
  readModel: given,
}: Pick<Settings, 'storeUrl' | 'readModel'>): ReadModelPlaces {
  const reads = storeKindOf(storeUrl)?.reads
  const factsFile = reads?.factsFile(storeUrl)
  const readModel = given ?? (reads === undefined ? inMemory : besideFacts(factsFile))
  if (readModel === off) return { readModel: undefined, factsFile }
  if (factsFile !== undefined && readModel !== inMemory && foundPath(readModel) === factsFile) {
    throw new SettingsWrong(['READ_MODEL must be another file than STORE_URL'])
  }
  return { readModel, factsFile }
}

function besideFacts(factsFile: string | undefined): string {
  return factsFile === undefined ? join('data', fileName) : join(dirname(factsFile), fileName)
}

/** How long to let facts gather while nobody waits for them. */
const gatherMs = 25

/** Opens the read model and begins to follow the log. Throws `StoreNotOpened`. */
export function openProjections(
  facts: FactLog & StreamReader,
  options: Pick<ReadModelOptions, 'path' | 'factsFile' | 'searchProperties'>,
  log: Log,
): RunningProjections {
  const projections = SqliteProjections.open({
    ...options,
    onDropped: (reason) => {
      log.warn({ reason }, 'the read model is rebuilt')
    },
    onDiverged: (diverged) => {
      log.error(
        diverged,
        'the fact log contradicts this process about a segment: the segment is no longer published',
      )
    },
  })
  const running = new RunningProjections(facts, projections, { log, gatherMs, pause })
  running.start()
  return running
}
