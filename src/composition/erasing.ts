import { ErasureLedgerFile } from '../adapters/system/erasure-ledger-file.js'
import { pause } from '../adapters/system/clock-and-ids.js'
import type { ErasingParts, NotErasable } from '../application/erasing/erase-entity.js'
import {
  erasingUseCases,
  type DryRun,
  type ErasingUseCaseParts,
} from '../application/erasing/erasing-use-cases.js'
import type { ErasureLookups } from '../application/erasing/erasure-steps.js'
import type { Erasable } from '../application/erasing/ports/erasable.js'
import { ErasureLog } from '../application/erasing/erasure-log.js'
import { ErasureWorker } from '../application/erasing/erasure-worker.js'
import type { Clock, IdGenerator } from '../application/ports/clock-and-ids.js'
import type { Log } from '../application/ports/log.js'
import { Refusal } from '../application/ports/refusal.js'
import type { ReadModel } from '../application/reading/ports/read-model.js'
import type { GuardedStore } from '../application/recording/guard-store.js'
import type { WebhookLog } from '../application/webhooks/webhook-log.js'
import { recipientOf } from '../domain/webhooks/webhook-facts.js'
import { readUseCase } from '../application/reading/reads.js'
import type { Settings } from './settings.js'
import type { OpenStore } from './store-kind.js'

/** The longest wait until the read model has applied all facts of the store, in milliseconds. */
const headWaitMs = 5_000

/** The longest time that a receipt waits for the data from the read model, in milliseconds. */
const receiptWaitMs = 1_000

/**
 * Returns the erasing port of the store, or the reason why no entity can be erased. If several
 * processes can write to the store, erasing needs ERASE=on.
 */
export function erasableStreams(
  { erase }: Settings,
  { erasable }: OpenStore,
): Erasable | NotErasable {
  if (erasable === undefined) return 'not_possible'
  return (erase ?? erasable.keepsPositions) ? erasable : 'not_ready'
}

export function erasingParts(
  settings: Settings,
  opened: OpenStore,
  store: GuardedStore,
  clock: Clock,
  ids: IdGenerator,
  webhooks: WebhookLog,
): ErasingParts {
  const { eraseLedger, storeTimeoutMs } = settings
  const streams = erasableStreams(settings, opened)
  const ledger = new ErasureLedgerFile(eraseLedger, storeTimeoutMs)
  if (typeof streams !== 'string') ledger.create()
  return {
    store,
    streams,
    erasures: new ErasureLog(store),
    ledger,
    clock,
    ids,
    moreRecipients: recipientsOf(webhooks),
  }
}

/** Returns a function that returns the webhooks as recipients of an erasure. */
export function recipientsOf(webhooks: WebhookLog): ErasingParts['moreRecipients'] {
  return async () => [...(await webhooks.read()).live.keys()].toSorted().map(recipientOf)
}

export function erasing(
  given: ErasingParts,
  model: ReadModel | undefined,
  worker: ErasureWorker | undefined,
) {
  return erasingUseCases({
    ...given,
    dryRun: dryRunIn(model),
    closedAt: closedAtIn(model),
    wake: () => worker?.wake(),
  })
}

/**
 * Returns a function that reads the time and position at which the entity's stream was closed. The
 * function returns undefined when the read model does not answer within `receiptWaitMs`, so that
 * the receipt is returned without this data.
 */
function closedAtIn(model: ReadModel | undefined): ErasingUseCaseParts['closedAt'] {
  if (model === undefined) return () => Promise.resolve(undefined)
  return async (entityId, known) => {
    try {
      const want = { position: known, waitMs: receiptWaitMs }
      const { position, erasedAt: at } = (await model.query('erasedEntity', { entityId }, want))
        .value
      return position === undefined || at === undefined ? undefined : { at, position }
    } catch (error) {
      if (error instanceof Refusal) return undefined
      throw error
    }
  }
}

function dryRunIn(model: ReadModel | undefined): DryRun {
  if (model === undefined) {
    return () => Promise.reject(new Refusal('not_ready', 'this process has no read model'))
  }
  const read = readUseCase(model)
  return async (externalId, waitMs) => {
    const { value, position } = await read('erasureDryRun', { externalId }, { waitMs })
    return { ...value, position }
  }
}

function lookupsIn(model: ReadModel): ErasureLookups {
  return {
    progress: async (entityId, known) => {
      const want =
        known === 'all' ? ({ position: 'head', waitMs: headWaitMs } as const) : { waitMs: 0 }
      const { value, position, logTime } = await model.query('erasedEntity', { entityId }, want)
      return { ...value, knownTo: position, logTime }
    },
    dryRun: async (externalId) =>
      (await model.query('erasureDryRun', { externalId }, { waitMs: 0 })).value,
  }
}

export async function startErasureWorker(
  given: ErasingParts,
  model: ReadModel | undefined,
  log: Log,
): Promise<ErasureWorker | undefined> {
  const { streams } = given
  if (typeof streams === 'string') return undefined
  const worker = new ErasureWorker({
    ...given,
    streams,
    lookups: model && lookupsIn(model),
    log,
    pause,
  })
  await worker.start()
  return worker
}
