import { nodeGone, type Erasure } from '../../domain/erasure-receipts.js'
import { timestampOf } from '../../domain/timestamp.js'
import type { Clock, IdGenerator } from '../ports/clock-and-ids.js'
import { Refusal, RuleRefused } from '../ports/refusal.js'
import type { ErasureLog, Erasures } from './erasure-log.js'
import type { ErasableStreams } from './ports/erasable-streams.js'

export interface ChangedErasure {
  readonly erasure: Erasure
  readonly position: string
  /** It was so before: nothing was stored. */
  readonly replayed: boolean
}

export interface ConfirmRequest {
  readonly erasureId: string
  readonly recipient: string
  /** Up to where it has processed the facts. */
  readonly position: string
  /** Whether whoever asks may erase persons, and so say that a node is gone. */
  readonly mayErase: boolean
  readonly requestId: string
}

/** An erasure with what the read model adds to it. */
type Whole = (erasure: Erasure) => Promise<Erasure>

/**
 * A recipient has processed the facts up to a position, which is to lie at the erasure or behind it; or a node
 * of the store is gone for good, whose name is given as the recipient's (`nodeGone`). Throws
 * `erasure_not_found`, `read_model_behind` while the read model here does not say where the erasure lies,
 * `RuleRefused`, and what `ErasureLog.append` throws.
 */
export type ConfirmErasureUseCase = (request: ConfirmRequest) => Promise<ChangedErasure>

/**
 * The id of the erased person may be used again. Throws `erasure_not_found`, `not_ready`, `not_possible`, and
 * what the store's ports throw.
 */
export type LiftSuppressionUseCase = (request: {
  readonly erasureId: string
  readonly requestId: string
}) => Promise<ChangedErasure>

interface Parts {
  readonly erasures: ErasureLog
  readonly streams: ErasableStreams | undefined
  readonly clock: Clock
  readonly ids: IdGenerator
}

export function confirmErasureUseCase(
  { erasures, clock, ids }: Parts,
  whole: Whole,
): ConfirmErasureUseCase {
  return async ({ erasureId, recipient, position: confirmedTo, mayErase, requestId }) => {
    const { effective } = await whole(found(await erasures.read(), erasureId))
    const id = ids.next()
    const { decision, state, position } = await erasures.append(requestId, (all) => {
      const erasure = found(all, erasureId)
      const { confirmations, recipients, places } = erasure
      const node = mayErase ? places.find((place) => place.node === recipient) : undefined
      if (!recipients.includes(recipient) && node === undefined) {
        const message =
          'must be one of the recipients that the erasure names, or with the scope erase a node of its places'
        throw new RuleRefused([{ path: [], code: 'conflict', message }], 'recipient')
      }
      if (effective === undefined) {
        throw new Refusal(
          'read_model_behind',
          'it is not known here yet where the person was erased',
        )
      }
      if (Number(confirmedTo) < Number(effective.position)) {
        const message = `must be ${effective.position} or more, where the person was erased`
        throw new RuleRefused([{ path: [], code: 'conflict', message }], 'position')
      }
      const before = confirmations.find((one) => one.recipient === recipient)
      const isOvertaken = node !== undefined && nodeGone(erasure, node) === undefined
      const isNew =
        before === undefined || Number(before.position) < Number(confirmedTo) || isOvertaken
      if (!isNew) return {}
      const data = { erasureId, recipient, position: confirmedTo, at: timestampOf(clock.now()) }
      return { fact: { id, type: 'ErasureConfirmed', data } }
    })
    const erasure = await whole(found(state, erasureId))
    return { erasure, position, replayed: decision.fact === undefined }
  }
}

export function liftSuppressionUseCase(parts: Parts, whole: Whole): LiftSuppressionUseCase {
  const { erasures, streams, clock, ids } = parts
  return async ({ erasureId, requestId }) => {
    const { entityId, suppress, effective } = await whole(found(await erasures.read(), erasureId))
    if (streams === undefined) throw new Refusal('not_ready', 'nobody can be erased here')
    // Whoever closes the stream behind this would suppress the id all the same.
    if (suppress && effective === undefined) throw new Refusal('not_ready', notEffective)
    // First what can be refused, and be repeated.
    if (suppress) await streams.release({ entityId })
    const id = ids.next()
    const { decision, state, position } = await erasures.append(requestId, (all) => {
      if (!suppress || found(all, erasureId).liftedAt !== undefined) return {}
      const data = { erasureId, at: timestampOf(clock.now()) }
      return { fact: { id, type: 'ErasureSuppressionLifted', data } }
    })
    const erasure = await whole(found(state, erasureId))
    return { erasure, position, replayed: decision.fact === undefined }
  }
}

const notEffective =
  'it is not known here yet that the person is erased: repeat it when the receipt says since when'

/** Throws `erasure_not_found`. */
export function found(erasures: Erasures, erasureId: string): Erasure {
  const erasure = erasures.get(erasureId)
  if (erasure === undefined) throw new Refusal('erasure_not_found', 'no erasure has this id')
  return erasure
}
