import type { StoredFact } from '../facts/stored-fact.js'
import type { ExactAppend, ExactAppends } from '../ports/exact-appends.js'
import { Refusal } from '../ports/refusal.js'
import type { Append, EventStore } from './ports/event-store.js'

/** A number of appends, and the approximate number of bytes of their facts. */
export interface AppendLoad {
  readonly appends: number
  readonly bytes: number
}

export interface LimitedStore extends EventStore, ExactAppends {
  /** The appends that the store has not finished. Includes appends whose callers already got `outcome_unknown`. */
  readonly queued?: AppendLoad
  /**
   * Settles the appends that the store has finished. Absent in a store that settles appends at
   * once.
   */
  catchUp?(): void
}

/**
 * Wraps the store. Refuses an append with `overloaded` while too many appends or bytes are
 * unfinished. Unfinished appends would otherwise fill the memory while the store hangs. Always
 * accepts an append when no other append is unfinished. Before it refuses an append, it calls
 * `catchUp`, because the store may have finished appends that it has not reported yet.
 */
export function limitInFlight(store: LimitedStore, limits: AppendLoad): EventStore & ExactAppends {
  let appends = 0
  let bytes = 0
  // Creates the error once, because creating an error costs as much as the rest of a refusal.
  const tooMany = new Refusal('overloaded', 'too many appends are in progress')
  const isFull = (size: number) => {
    const { queued } = store
    const waiting = Math.max(appends, queued?.appends ?? 0)
    if (waiting === 0) return false
    return waiting >= limits.appends || Math.max(bytes, queued?.bytes ?? 0) + size > limits.bytes
  }
  const limited = <A extends Load, R>(append: A, send: (append: A) => Promise<R>): Promise<R> => {
    const size = bytesOf(append)
    if (isFull(size)) {
      store.catchUp?.()
      return Promise.reject(tooMany)
    }
    appends += 1
    bytes += size
    const ended = () => {
      appends -= 1
      bytes -= size
    }
    const appended = send(append)
    appended.then(ended, ended)
    return appended
  }
  const append = (one: Append) => store.append(one)
  const appendAt = (one: ExactAppend) => store.appendAt(one)
  return {
    append: (one) => limited(one, append),
    appendAt: (one) => limited(one, appendAt),
  }
}

interface Load {
  readonly facts: readonly StoredFact[]
}

/**
 * Returns the number of characters in the texts of the facts. For ASCII text, this is the number of
 * bytes.
 */
export function bytesOf({ facts }: Load): number {
  let bytes = 0
  for (const { data, metadata } of facts) bytes += data.length + metadata.length
  return bytes
}
