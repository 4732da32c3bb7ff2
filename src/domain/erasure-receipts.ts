import type {
  EntityErasureRecorded,
  ErasedFactsRemoved,
  ErasureConfirmed,
  ErasureFact,
  ErasurePlaceChecked,
} from './erasures.js'

type CheckedPlace = Omit<ErasurePlaceChecked['data'], 'erasureId'>
type Confirmation = Omit<ErasureConfirmed['data'], 'erasureId'>

/** One erasure, folded from the facts that are recorded so far. Instants are UTC with milliseconds. */
export interface Erasure extends Omit<EntityErasureRecorded['data'], 'at'> {
  readonly id: string
  readonly requestId: string
  readonly requestedAt: string
  /** The time and position at which the entity's stream was closed. Undefined until the removal is recorded. */
  readonly effective?: ErasedFactsRemoved['data']['closedAt']
  readonly removed?: Pick<ErasedFactsRemoved['data'], 'facts' | 'keys' | 'memberships' | 'at'>
  /** Positions of removed facts (see `ErasedFactsRemoved`). Absent once the erasure is complete. */
  readonly positions?: readonly string[]
  /** The latest state of each location. */
  readonly places: readonly CheckedPlace[]
  /** The latest confirmation of each recipient, and of each node that was reported as gone. */
  readonly confirmations: readonly Confirmation[]
  readonly liftedAt?: string
}

interface ErasureFactAt {
  readonly fact: ErasureFact
  readonly requestId: string
}

/** Returns the id of the erasure that the fact is about. */
export function erasureIdOf(fact: ErasureFact): string {
  return fact.type === 'EntityErasureRecorded' ? fact.id : fact.data.erasureId
}

/** Applies one fact to an erasure. Returns undefined when the fact is about an erasure that was never recorded. */
export function erasureAfter(
  before: Erasure | undefined,
  { fact, requestId }: ErasureFactAt,
): Erasure | undefined {
  if (fact.type === 'EntityErasureRecorded') {
    const { at: requestedAt, ...data } = fact.data
    return { id: fact.id, requestId, requestedAt, ...data, places: [], confirmations: [] }
  }
  if (before === undefined) return undefined
  const { positions, ...rest } = after(before, fact)
  // Drops the positions of a complete erasure: they take much memory, and no further check needs them.
  const where = positions === undefined || !isOpen(rest) ? {} : { positions }
  return { ...rest, ...where }
}

function after(
  before: Erasure,
  { type, data }: Exclude<ErasureFact, EntityErasureRecorded>,
): Erasure {
  const { erasureId: _erasureId, ...rest } = data
  switch (type) {
    case 'ErasedFactsRemoved': {
      const { closedAt, facts, keys, memberships, at, positions } = data
      const removed = { facts, keys, memberships, at }
      const where = positions === undefined ? {} : { positions }
      return { ...before, effective: closedAt, removed, ...where }
    }
    case 'ErasurePlaceChecked': {
      const others = before.places.filter((one) => !isSamePlace(one, data))
      const { erasureId: _id, ...place } = data
      return { ...before, places: [...others, place] }
    }
    case 'ErasureConfirmed': {
      const others = before.confirmations.filter((one) => one.recipient !== data.recipient)
      const { erasureId: _id, ...confirmation } = data
      return { ...before, confirmations: [...others, confirmation] }
    }
    case 'ErasureSuppressionLifted':
      return { ...before, liftedAt: rest.at }
  }
}

interface Place {
  readonly place: string
  readonly node?: string
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.place === other.place && one.node === other.node
}

/** Returns whether any location that this service can check may still hold facts of the entity. */
export function isOpen(erasure: Erasure): boolean {
  const { removed, places } = erasure
  const isLeft = places.length === 0 || places.some((place) => isOpenPlace(erasure, place))
  return removed === undefined || isLeft
}

/** Returns whether the location may still hold facts of the entity. */
export function isOpenPlace(
  erasure: Pick<Erasure, 'recipients' | 'confirmations'>,
  place: CheckedPlace,
): boolean {
  return place.state !== 'purged' && nodeGone(erasure, place) === undefined
}

/**
 * Returns the confirmation that a node is gone for good. Returns undefined when there is none, or when a later
 * check of the node found another state.
 */
export function nodeGone(
  { recipients, confirmations }: Pick<Erasure, 'recipients' | 'confirmations'>,
  { node, at }: Pick<CheckedPlace, 'node' | 'at'>,
): Confirmation | undefined {
  if (node === undefined || recipients.includes(node)) return undefined
  return confirmations.find(({ recipient, at: saidAt }) => recipient === node && saidAt >= at)
}
