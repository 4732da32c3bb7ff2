import type { IdCache } from './id-cache.js'
import { DELETED, metastreamOf, NONE } from './record.js'
import type { StreamStates } from './stream-states.js'

/** The state that an append expects of its stream: a kind of state, or the revision of its last event. */
export type Expected = 'any' | 'stream_exists' | 'no_stream' | bigint

export type Decision =
  | { readonly kind: 'write'; readonly head: bigint; readonly undelete: boolean }
  | { readonly kind: 'wrong_expected_version'; readonly head: bigint }
  | { readonly kind: 'stream_deleted' }
  /** All events of the append are already stored. Its last event has this revision. */
  | { readonly kind: 'repeat'; readonly revision: bigint }

interface Question {
  readonly stream: string
  readonly expected: Expected
  readonly ids: readonly string[]
}

/** Decides an append by the written state of the streams and the ids that the server remembers. */
export function decideAppend(streams: StreamStates, cache: IdCache, question: Question): Decision {
  const { stream, expected } = question
  const head = streams.head(stream)
  if (head === DELETED) return { kind: 'stream_deleted' }
  if (expected === 'stream_exists') {
    if (streams.isSoftDeleted(stream)) return { kind: 'stream_deleted' }
    if (head === NONE && streams.head(metastreamOf(stream)) === NONE) return wrong(head)
  }
  if (expected === 'any' || expected === 'stream_exists')
    return byRememberedIds(streams, cache, question, head)
  return byStoredEvents(streams, question, head, expected === 'no_stream' ? NONE : expected)
}

function byRememberedIds(
  streams: StreamStates,
  cache: IdCache,
  { stream, ids }: Question,
  head: bigint,
): Decision {
  let revision: bigint | undefined
  for (const id of ids) {
    const stored = cache.get(id)
    if (stored?.stream !== stream) {
      if (revision !== undefined) return wrong(head)
      break
    }
    revision = stored.revision
  }
  if (revision === undefined)
    return { kind: 'write', head, undelete: streams.isSoftDeleted(stream) }
  return { kind: 'repeat', revision }
}

function byStoredEvents(
  streams: StreamStates,
  { stream, ids }: Question,
  head: bigint,
  expected: bigint,
): Decision {
  if (expected > head) return wrong(head)
  const undelete = streams.isSoftDeleted(stream)
  if (expected === head) return { kind: 'write', head, undelete }
  const matched = ids.findIndex(
    (id, index) => streams.at(stream, expected + 1n + BigInt(index))?.id !== id,
  )
  if (matched === -1 && ids.length > 0)
    return { kind: 'repeat', revision: expected + BigInt(ids.length) }
  const anew = matched === 0 && expected === NONE && undelete
  return anew ? { kind: 'write', head, undelete } : wrong(head)
}

function wrong(head: bigint): Decision {
  return { kind: 'wrong_expected_version', head }
}
