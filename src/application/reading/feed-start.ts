import { RefusalAt } from '../ports/refusal.js'
import type { Answer, Checkpoint, ReadModel } from './ports/read-model.js'
import { withoutPosition, type ReadWant } from './want.js'

export interface FeedFilter {
  readonly types?: readonly string[] | undefined
  readonly stream?: string | undefined
}

/** Where reading of the feed begins: before all facts, after all that are applied, or after a place. */
export type FeedStart = 'start' | 'now' | FeedPlace

interface FeedPlace {
  readonly position: number
  /** What the id of the fact there begins with; absent: the place is taken unchecked. */
  readonly idBegins?: string | undefined
}

/**
 * The place after which reading begins; its id is empty where none was checked. Throws `position_unknown`
 * when there is another fact there, and what `ReadModel.query` throws.
 */
export async function placeOf(
  readModel: ReadModel,
  start: FeedStart,
  want: ReadWant,
): Promise<Answer<Checkpoint>> {
  if (start === 'now') return placeOfNow(readModel, want)
  const { position, idBegins } = start === 'start' ? { position: 0, idBegins: undefined } : start
  if (idBegins === undefined) {
    const answer = await readModel.query('factAt', { position }, want)
    return { ...answer, value: answer.value ?? { position, id: '' } }
  }
  const wanted = { ...want, position: Math.max(position, want.position ?? 0) }
  const { value, ...applied } = await readModel.query('factAt', { position }, wanted)
  // What was there is erased, and is named as its reader knows it.
  if (value?.id === '') return { value: { position, id: idBegins }, ...applied }
  if (value?.id.startsWith(idBegins) !== true)
    throw new RefusalAt('position_unknown', applied.position)
  return { value, ...applied }
}

async function placeOfNow(readModel: ReadModel, want: ReadWant): Promise<Answer<Checkpoint>> {
  const { position } = await readModel.query('factAt', { position: 0 }, want)
  return placeOf(readModel, { position }, withoutPosition(want))
}

/** A page may know less than its place: reading does not go back. */
export function furtherOf(left: Checkpoint, right: Checkpoint): Checkpoint {
  return left.position > right.position ? left : right
}
