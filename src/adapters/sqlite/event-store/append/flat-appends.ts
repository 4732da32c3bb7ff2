import type { StoredFact } from '../../../../application/facts/stored-fact.js'
import type { Append } from '../../../../application/recording/ports/event-store.js'

/** An append on its way to the writer: expects a state, or the revision of the stream's last fact. */
export interface QueuedAppend extends Omit<Append, 'expected' | 'key'> {
  readonly expected: Append['expected'] | number
  readonly key?: string | undefined
}

/**
 * Appends on their way to the writer as one text. A NUL stands between their parts, which hold none:
 * stream, expected state, key (empty when there is none), number of facts, then id, type, data and
 * metadata of each. Passing one text between threads costs a third of passing a list of texts, and that
 * a third of passing the objects.
 */
export type FlatAppends = string

const separator = '\0'

/** Puts the parts of an append at the end of the list. */
export function flatten({ stream, expected, facts, key }: QueuedAppend, list: string[]): void {
  list.push(stream, String(expected), key ?? '', String(facts.length))
  for (const { id, type, data, metadata } of facts) list.push(id, type, data, metadata)
}

/** What is sent of a list of parts. */
export function joined(list: readonly string[]): FlatAppends {
  return list.join(separator)
}

/**
 * The appends, in their order. Their texts are parts of one long text, which lives as long as any of
 * them: whoever keeps one copies it.
 */
export function unflatten(text: FlatAppends): readonly QueuedAppend[] {
  const appends: QueuedAppend[] = []
  if (text === '') return appends
  const list = text.split(separator)
  let at = 0
  const next = (): string => {
    const part = list[at]
    if (part === undefined) throw new RangeError('a list of appends ends in the middle of one')
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
