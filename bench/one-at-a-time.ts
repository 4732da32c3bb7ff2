import { z } from 'zod'
import type { SqliteEventStore } from '../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { root } from './places.js'

/**
 * Loaded before the program (`node --import`): each append waits for the one before it, so that every
 * commit holds one request. Everything else is the program as it was built.
 */
const isFunction = (value: unknown) => typeof value === 'function'
const form = z.object({ SqliteEventStore: z.custom<{ prototype: SqliteEventStore }>(isFunction) })
const loaded: unknown = await import(
  `${root}dist/adapters/sqlite/event-store/append/sqlite-event-store.js`
)
const { prototype } = form.parse(loaded).SqliteEventStore
const append = z
  .custom<SqliteEventStore['append']>(isFunction)
  .parse(Reflect.get(prototype, 'append'))

let last: Promise<unknown> = Promise.resolve()
prototype.append = function (this: SqliteEventStore, ...args) {
  const mine = last.then(() => append.apply(this, args))
  last = mine.catch(() => undefined)
  return mine
}
