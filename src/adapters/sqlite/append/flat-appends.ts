import type { StoredFact } from '../../../application/facts/stored-fact.js'
import type { Append } from '../../../application/recording/ports/event-store.js'

/** An append on its way to the writer: expects a state, or the revision of the stream's last fact. */
export interface QueuedAppend extends Omit<Append, 'expected'> {
  readonly expected: Append['expected'] | number
}

/**
 * Appends on their way to the writer as one list of texts, one after another: stream, expected state,
 * key (empty when there is none), number of facts, then id, type, data and metadata of each. Passing a
 * list of texts between threads costs a third of passing the objects.
 */
export type FlatAppends = readonly string[]

/** Puts an append at the end of the list. */
export function flatten({ stream, expected, facts, key }: QueuedAppend, list: string[]): void {
  list.push(stream, String(expected), key ?? '', String(facts.length))
  for (const { id, type, data, metadata } of facts) list.push(id, type, data, metadata)
}

/** The appends of a list, in their order. */
export function unflatten(list: FlatAppends): readonly QueuedAppend[] {
  const appends: QueuedAppend[] = []
  let at = 0
  const next = (): string => {
    const text = list[at]
    if (text === undefined) throw new RangeError('a list of appends ends in the middle of one')
    at += 1
    return text
  }
  const nextFact = (): StoredFact => ({ id: next(), type: next(), data: next(), metadata: next() })
  while (at < list.length) {
    const stream = next()
    const expected = expectedIn(next())
    const key = next()
    const facts: StoredFact[] = []
    for (let left = Number(next()); left > 0; left -= 1) facts.push(nextFact())
    appends.push({ stream, expected, facts, ...(key === '' ? {} : { key }) })
  }
  return appends
}

function expectedIn(text: string): QueuedAppend['expected'] {
  switch (text) {
    case 'new':
    case 'existing':
    case 'stored':
    case 'first':
      return text
    default:
      return Number(text)
  }
}
