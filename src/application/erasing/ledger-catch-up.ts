import type { Erasure } from '../../domain/erasure-receipts.js'
import { timestampOf } from '../../domain/timestamp.js'
import type { Log } from '../ports/log.js'
import { addToLedger } from './erase-entity.js'
import { subjectOf } from './erasure-hashes.js'
import type { Erasures } from './erasure-log.js'
import type { ErasureSteps, ErasureStepParts } from './erasure-steps.js'

/**
 * Makes the ledger and the store agree. Copies the store's recorded erasures into the ledger.
 * Erases the entities of the ledger that are not erased in the store.
 */
export class LedgerCatchUp {
  /** The progress of `copyToLedger`: the ledger contains the first `count` of these erasures. */
  private copied: { readonly count: number; readonly erasures?: Erasures } = { count: 0 }

  constructor(
    private readonly parts: ErasureStepParts & { readonly log: Log },
    private readonly steps: Pick<ErasureSteps, 'appendErased'>,
  ) {}

  /**
   * Adds the entities of all recorded erasures to the ledger. Throws `store_unavailable` when the
   * ledger cannot be written.
   */
  async copyToLedger(all: Erasures): Promise<void> {
    const from = this.copied.erasures === all ? this.copied.count : 0
    const added = all.page(from, Infinity).map(({ entityId }) => entityId)
    await addToLedger(this.parts.ledger, added)
    this.copied = { count: from + added.length, erasures: all }
  }

  /** Returns the entities of the ledger for which the store has no recorded removal. */
  async missingFromStore(): Promise<readonly string[]> {
    const { ledger, erasures } = this.parts
    if (ledger.entityIds.size === 0) return []
    const all = await erasures.read()
    return [...ledger.entityIds].filter((id) => all.ofEntity(id)?.removed === undefined)
  }

  /**
   * Erases the entities of the ledger that are not erased in the store. There are such entities
   * when the store was restored from an older copy, or when a process ended before it closed a
   * stream. Returns whether no request can read any of these entities.
   */
  async eraseMissing(): Promise<boolean> {
    const { lookups, log } = this.parts
    const missing = await this.missingFromStore()
    if (lookups === undefined) {
      log.warn(
        { entities: missing.length },
        'the ledger has erasures that may be missing in the store; a process with a read model repeats them',
      )
      return true
    }
    for (const entityId of missing) {
      const { externalId, position } = await lookups.progress(entityId, 'all')
      if (externalId !== undefined && position === undefined) await this.erase(entityId, externalId)
    }
    for (const entityId of missing) {
      const { externalId } = await lookups.progress(entityId, 'all')
      if (externalId !== undefined) return false
    }
    return true
  }

  private async erase(entityId: string, externalId: string): Promise<void> {
    const erasure = await this.recordErasure(entityId, externalId)
    if (erasure !== undefined) await this.steps.appendErased(erasure, externalId)
    this.parts.log.info(
      { entityId, erasure: erasure?.id },
      'erased again, because the ledger has this entity',
    )
  }

  private async recordErasure(entityId: string, externalId: string): Promise<Erasure | undefined> {
    const { clock, erasures, ids, streams } = this.parts
    const at = timestampOf(clock.now())
    const id = ids.next()
    const subject = subjectOf(id, externalId, streams)
    const recipients = await this.parts.moreRecipients()
    const data = { entityId, suppress: true, recipients, ...subject, at }
    const fact = { id, type: 'EntityErasureRecorded', data } as const
    const { state: all } = await erasures.append(id, (recorded) =>
      recorded.ofEntity(entityId) === undefined ? { fact } : {},
    )
    return all.ofEntity(entityId)
  }
}
