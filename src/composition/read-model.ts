import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { keysFiles } from '../adapters/api-keys/manage-keys.js'
import type { CommittedFiles } from '../adapters/sqlite/read-model/committed-read-model.js'
import { ReadThread, startReader } from '../adapters/sqlite/read-model/thread/read-thread.js'
import { databaseFiles, foundPath, haveSharedFile } from '../adapters/sqlite/file/paths.js'
import { inMemory } from '../adapters/sqlite/read-model/read-model-file.js'
import {
  assertNotForeign,
  readModelFiles,
  unusable,
} from '../adapters/sqlite/read-model/read-model-files.js'
import type { Log } from '../application/ports/log.js'
import { StoreNotOpened } from '../application/ports/refusal.js'
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
 * Opens the read model of this process in its own thread. Uses this thread instead when only this thread can read
 * the store. Returns undefined when the read model is off. Throws `StoreNotOpened` and `SettingsWrong`.
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
 * Opens the readers of previews, each in its own thread. A read model without a file cannot be read from another
 * thread, so it is read directly.
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

/** The heap limits of a preview thread in MB. A preview holds one entity and some facts at a time. */
const previewHeap = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 }

/**
 * Throws `SettingsWrong` when another setting names a file of the read model. Such a file would be moved or
 * replaced. Runs before any file is created.
 */
function refuseSharedFiles(readModel: string, { storeUrl, apiKeysFile }: Settings): void {
  const files = readModelFiles(foundPath(readModel))
  const others = [
    ['STORE_URL', storeKindOf(storeUrl)?.reads?.files(storeUrl) ?? []],
    ['API_KEYS_FILE', keysFiles(apiKeysFile)],
  ] as const
  const faults = others
    .filter(([, theirs]) => haveSharedFile(files, theirs))
    .map(([setting]) => `READ_MODEL and ${setting} must not share files`)
  if (faults.length > 0) throw new SettingsWrong(faults)
}

/**
 * Throws `StoreNotOpened` when `READ_MODEL` names a file of another program, or a file that cannot be read. Call it
 * before a first start creates a file, and while this process has no database open.
 */
export function refuseForeignReadModel(settings: Settings): void {
  const { readModel } = readModelPlaces(settings)
  if (readModel === undefined || readModel === inMemory) return
  const path = foundPath(readModel)
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return
  try {
    assertNotForeign(path, existsSync(`${path}.lock`))
  } catch (error) {
    throw error instanceof StoreNotOpened ? error : unusable(path, error)
  }
}

/** Returns the files of the read model. Empty when it has no file. Throws `SettingsWrong`. */
export function filesOfReadModel(settings: Settings): readonly string[] {
  const { readModel } = readModelPlaces(settings)
  if (readModel === undefined || readModel === inMemory) return []
  return databaseFiles(foundPath(readModel))
}

interface ReadModelPlaces {
  /** The path of a file, or `memory:`. Undefined when the read model is off. */
  readonly readModel: string | undefined
  readonly factsFile: string | undefined
}

/** Returns the locations of the read model and of the facts. Throws `SettingsWrong`. */
export function readModelPlaces({
  storeUrl,
  readModel: given,
}: Pick<Settings, 'storeUrl' | 'readModel'>): ReadModelPlaces {
  const reads = storeKindOf(storeUrl)?.reads
  const factsFile = reads?.factsFile(storeUrl)
  const readModel = given ?? (reads === undefined ? inMemory : besideFacts(factsFile))
  if (readModel === off) return { readModel: undefined, factsFile }
  if (factsFile !== undefined && readModel !== inMemory && foundPath(readModel) === factsFile) {
    throw new SettingsWrong(['READ_MODEL and STORE_URL must name different files'])
  }
  return { readModel, factsFile }
}

function besideFacts(factsFile: string | undefined): string {
  return factsFile === undefined ? join('data', fileName) : join(dirname(factsFile), fileName)
}

/**
 * The time for which facts are collected before they are applied, in milliseconds. It applies only
 * while no read waits for the facts.
 */
const gatherMs = 25

/** Opens the read model and starts following the log. Throws `StoreNotOpened`. */
export function openProjections(
  facts: FactLog & StreamReader,
  options: Pick<ReadModelOptions, 'path' | 'factsFile' | 'searchProperties' | 'lent'>,
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
        'the fact log and this process derive different members of a segment: the segment is no longer published',
      )
    },
  })
  const running = new RunningProjections(facts, projections, { log, gatherMs, pause })
  running.start()
  return running
}
