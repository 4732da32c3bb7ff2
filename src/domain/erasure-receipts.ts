import type {
  EntityErasureRecorded,
  ErasedFactsRemoved,
  ErasureConfirmed,
  ErasureFact,
  ErasurePlaceChecked,
} from './erasures.js'

type CheckedPlace = Omit<ErasurePlaceChecked['data'], 'erasureId'>
type Confirmation = Omit<ErasureConfirmed['data'], 'erasureId'>

/** What the log says of one erasure so far. Instants are UTC with milliseconds. */
export interface Erasure extends Omit<EntityErasureRecorded['data'], 'at'> {
  readonly id: string
  readonly requestId: string
  readonly requestedAt: string
  /** When and where the person's stream was closed; of facts alone undefined until the removal is recorded. */
  readonly effective?: ErasedFactsRemoved['data']['closedAt']
  readonly removed?: Pick<ErasedFactsRemoved['data'], 'facts' | 'keys' | 'memberships' | 'at'>
  /** Where removed facts were, while it is open: see `ErasedFactsRemoved`. */
  readonly positions?: readonly string[]
  /** What was seen at each place at last. */
  readonly places: readonly CheckedPlace[]
  /** The furthest of each recipient, and of nodes that are said to be gone. */
  readonly confirmations: readonly Confirmation[]
  readonly liftedAt?: string
}

interface ErasureFactAt {
  readonly fact: ErasureFact
  readonly requestId: string
}

/** The id of the erasure that a fact of the stream `erasures` is about. */
export function erasureIdOf(fact: ErasureFact): string {
  return fact.type === 'EntityErasureRecorded' ? fact.id : fact.data.erasureId
}

/** An erasure with what the next fact about it says. Undefined: the fact is about one that was not recorded. */
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
  // Most of what is remembered of an erasure, and nobody looks there again.
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

/** Whether something of the person may be where this service can look. */
export function isOpen(erasure: Erasure): boolean {
  const { removed, places } = erasure
  const isLeft = places.length === 0 || places.some((place) => isOpenPlace(erasure, place))
  return removed === undefined || isLeft
}

/** Whether something of the entity may be at this place. */
export function isOpenPlace(
  erasure: Pick<Erasure, 'recipients' | 'confirmations'>,
  place: CheckedPlace,
): boolean {
  return place.state !== 'purged' && nodeGone(erasure, place) === undefined
}

/** Who said that a node is gone for good, unless it was looked at after that and found otherwise than before. */
export function nodeGone(
  { recipients, confirmations }: Pick<Erasure, 'recipients' | 'confirmations'>,
  { node, at }: Pick<CheckedPlace, 'node' | 'at'>,
): Confirmation | undefined {
  if (node === undefined || recipients.includes(node)) return undefined
  return confirmations.find(({ recipient, at: saidAt }) => recipient === node && saidAt >= at)
}
