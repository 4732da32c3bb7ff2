import { RefusalAt } from '../ports/refusal.js'
import type { Answer, Checkpoint, ReadModel } from './ports/read-model.js'
import { withoutPosition, type ReadWant } from './want.js'

export interface FeedFilter {
  readonly types?: readonly string[] | undefined
  readonly stream?: string | undefined
}

/** Where reading the feed begins: before all facts, after all applied facts, or after a position. */
export type FeedStart = 'start' | 'now' | FeedPlace

export interface FeedPlace {
  readonly position: number
  /** The beginning of the id of the fact at the position. Absent: the position is not checked. */
  readonly idBegins?: string | undefined
}

/**
 * Returns the position after which reading begins. Its id is empty when no id was checked. Throws
 * `position_unknown` when the position holds another fact, and the errors of `ReadModel.query`.
 */
export async function startOf(
  readModel: ReadModel,
  start: FeedStart,
  want: ReadWant,
): Promise<Answer<Checkpoint>> {
  if (start === 'now') return startNow(readModel, want)
  const { position, idBegins } = start === 'start' ? { position: 0, idBegins: undefined } : start
  if (idBegins === undefined) {
    const answer = await readModel.query('factAt', { position }, want)
    return { ...answer, value: answer.value ?? { position, id: '' } }
  }
  const wanted = { ...want, position: Math.max(position, want.position ?? 0) }
  const { value, ...applied } = await readModel.query('factAt', { position }, wanted)
  // The fact at the position was erased. The reader's own id stands for it.
  if (value?.id === '') return { value: { position, id: idBegins }, ...applied }
  if (value?.id.startsWith(idBegins) !== true)
    throw new RefusalAt('position_unknown', applied.position)
  return { value, ...applied }
}

async function startNow(readModel: ReadModel, want: ReadWant): Promise<Answer<Checkpoint>> {
  const { position } = await readModel.query('factAt', { position: 0 }, want)
  return startOf(readModel, { position }, withoutPosition(want))
}

/**
 * The later checkpoint. A page may have been read from an older state than its start, but reading never goes
 * back.
 */
export function furtherOf(left: Checkpoint, right: Checkpoint): Checkpoint {
  return left.position > right.position ? left : right
}
