import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { Append } from '../../../../application/recording/ports/event-store.js'

/**
 * An append that is sent to the writer. `expected` is the required state of the stream, or the required
 * revision of the stream's last fact.
 */
export interface QueuedAppend extends Omit<Append, 'expected' | 'key'> {
  readonly expected: Append['expected'] | number
  readonly key?: string | undefined
}

/**
 * A text that encodes appends, for the message to the writer. NUL separates the fields of the text, and no
 * field contains NUL. Each append has these fields:
 * - stream, expected state or revision, idempotency key (empty when there is none), number of facts;
 * - the id, type, data and metadata of each fact.
 *
 * Passing one text between threads costs a third of passing a list of texts, and a ninth of passing the
 * objects.
 */
export type FlatAppends = string

const separator = '\0'

/** Adds the fields of one append to `list`. */
export function flatten({ stream, expected, facts, key }: QueuedAppend, list: string[]): void {
  list.push(stream, String(expected), key ?? '', String(facts.length))
  for (const { id, type, data, metadata } of facts) list.push(id, type, data, metadata)
}

/** Joins the fields that `flatten` produced into the text to send. */
export function joined(list: readonly string[]): FlatAppends {
  return list.join(separator)
}

/**
 * Returns the appends that the text contains, in their order in the text. The strings in the result are slices that
 * keep the whole text in memory. Copy each string that must stay in memory for longer.
 */
export function unflatten(text: FlatAppends): readonly QueuedAppend[] {
  const appends: QueuedAppend[] = []
  if (text === '') return appends
  const list = text.split(separator)
  let at = 0
  const next = (): string => {
    const part = list[at]
    if (part === undefined) throw new RangeError('the text ends in the middle of an append')
    at += 1
    return part
  }
  const nextFact = (): StoredFact => ({ id: next(), type: next(), data: next(), metadata: next() })
  while (at < list.length) {
    const stream = next()
    const expected = expectedIn(next())
    const key = next()
    const facts: StoredFact[] = []
    for (let left = Number(next()); left > 0; left -= 1) facts.push(nextFact())
    appends.push({ stream, expected, facts, key: key === '' ? undefined : key })
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
