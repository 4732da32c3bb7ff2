import { nodeGone, type Erasure } from '../../domain/erasure-receipts.js'
import { timestampOf } from '../../domain/timestamp.js'
import { Refusal, RuleRefused } from '../ports/refusal.js'
import type { Erasures } from './erasure-log.js'
import { erasableOf, type ErasingParts } from './erase-entity.js'

export interface ChangedErasure {
  readonly erasure: Erasure
  readonly position: string
  /** True when the erasure already had this state, so that no fact was stored. */
  readonly replayed: boolean
}

export interface ConfirmRequest {
  readonly erasureId: string
  readonly recipient: string
  /** The position up to which the recipient has processed the facts. */
  readonly position: string
  /** Whether the caller has the scope `erase`. Only such a caller may report that a node is gone. */
  readonly mayErase: boolean
  readonly requestId: string
}

/** Adds the time and position of the `EntityErased`. Before the removal is recorded, only the read model knows them. */
type AddEffective = (erasure: Erasure) => Promise<Erasure>

/**
 * Records that a recipient has processed the facts up to a position at or after the erasure. If the recipient
 * is the name of a store's node, records that the node is gone for good (`nodeGone`). Throws
 * `erasure_not_found`, `RuleRefused`, and the errors of `ErasureLog.append`. Throws `read_model_behind` while
 * this read model does not know the position of the erasure.
 */
export type ConfirmErasureUseCase = (request: ConfirmRequest) => Promise<ChangedErasure>

/**
 * Allows the external id of the erased entity to be used again. Throws `erasure_not_found`, `not_ready`,
 * `not_possible`, and the errors of the store's ports.
 */
export type LiftSuppressionUseCase = (request: {
  readonly erasureId: string
  readonly requestId: string
}) => Promise<ChangedErasure>

type Parts = Pick<ErasingParts, 'erasures' | 'streams' | 'clock' | 'ids'>

export function confirmErasureUseCase(
  { erasures, clock, ids }: Parts,
  addEffective: AddEffective,
): ConfirmErasureUseCase {
  return async ({ erasureId, recipient, position: confirmedTo, mayErase, requestId }) => {
    const { effective } = await addEffective(findErasure(await erasures.read(), erasureId))
    const id = ids.next()
    const { decision, state, position } = await erasures.append(requestId, (all) => {
      const erasure = findErasure(all, erasureId)
      const { confirmations, recipients, places } = erasure
      const node = mayErase ? places.find((place) => place.node === recipient) : undefined
      if (!recipients.includes(recipient) && node === undefined) {
        const message =
          'must be a recipient of the erasure; with the scope erase, a node of its places is possible too'
        throw new RuleRefused([{ path: [], code: 'conflict', message }], 'recipient')
      }
      if (effective === undefined) {
        throw new Refusal(
          'read_model_behind',
          'this process does not know the position of the erasure yet',
        )
      }
      if (Number(confirmedTo) < Number(effective.position)) {
        const message = `must be ${effective.position}, the position of the erasure, or a later one`
        throw new RuleRefused([{ path: [], code: 'conflict', message }], 'position')
      }
      const before = confirmations.find((confirmation) => confirmation.recipient === recipient)
      const isOvertaken = node !== undefined && nodeGone(erasure, node) === undefined
      const isNew =
        before === undefined || Number(before.position) < Number(confirmedTo) || isOvertaken
      if (!isNew) return {}
      const data = { erasureId, recipient, position: confirmedTo, at: timestampOf(clock.now()) }
      return { fact: { id, type: 'ErasureConfirmed', data } }
    })
    const erasure = await addEffective(findErasure(state, erasureId))
    return { erasure, position, replayed: decision.fact === undefined }
  }
}

export function liftSuppressionUseCase(
  parts: Parts,
  addEffective: AddEffective,
): LiftSuppressionUseCase {
  const { erasures, clock, ids } = parts
  return async ({ erasureId, requestId }) => {
    const { entityId, suppress, effective } = await addEffective(
      findErasure(await erasures.read(), erasureId),
    )
    const streams = erasableOf(parts)
    // Refuses while the stream may still be open: a process that closes the stream after this call would block the id
    // again.
    if (suppress && effective === undefined) throw new Refusal('not_ready', notEffective)
    // Releases the id before the fact is recorded, because a release can fail, and can be repeated.
    if (suppress) await streams.release(entityId)
    const id = ids.next()
    const { decision, state, position } = await erasures.append(requestId, (all) => {
      if (!suppress || findErasure(all, erasureId).liftedAt !== undefined) return {}
      const data = { erasureId, at: timestampOf(clock.now()) }
      return { fact: { id, type: 'ErasureSuppressionLifted', data } }
    })
    const erasure = await addEffective(findErasure(state, erasureId))
    return { erasure, position, replayed: decision.fact === undefined }
  }
}

const notEffective =
  'this process does not know the position of the erasure yet: repeat the request once the receipt has effective'

/** Returns the erasure. Throws `erasure_not_found`. */
export function findErasure(erasures: Erasures, erasureId: string): Erasure {
  const erasure = erasures.get(erasureId)
  if (erasure === undefined) throw new Refusal('erasure_not_found', 'no erasure has this id')
  return erasure
}
