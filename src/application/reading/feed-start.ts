import { RefusalAt } from '../ports/refusal.js'
import type { Answer, Checkpoint, ReadModel } from './ports/read-model.js'
import { withoutPosition, type ReadWant } from './want.js'

export interface FeedFilter {
  readonly types?: readonly string[] | undefined
  readonly stream?: string | undefined
}

/**
 * The point after which reading the feed begins: `start` is before all facts, and `now` is after all applied
 * facts. A `FeedPlace` names a position.
 */
export type FeedStart = 'start' | 'now' | FeedPlace

export interface FeedPlace {
  readonly position: number
  /**
   * The first characters of the id of the fact at the position. When absent, the position is not
   * checked.
   */
  readonly idBegins?: string | undefined
}

/**
 * Returns the position after which reading begins. The returned id is empty when no id was checked. Throws
 * `position_unknown` when the store has another fact at the position. Throws the errors of `ReadModel.query`.
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
  // Accepts the sent id, because the fact at the position was erased and the id cannot be checked.
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
 * Returns the checkpoint with the higher position. The state of a page may be older than the start of the feed,
 * but the feed never goes back.
 */
export function furtherOf(left: Checkpoint, right: Checkpoint): Checkpoint {
  return left.position > right.position ? left : right
}
