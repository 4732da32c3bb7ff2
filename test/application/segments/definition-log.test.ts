import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import type { ExactAppends, StreamReader } from '../../../src/application/ports/exact-appends.js'
import { Refusal, WrongRevision, RuleRefused } from '../../../src/application/ports/refusal.js'
import {
  defineSegmentUseCase,
  retireSegmentUseCase,
} from '../../../src/application/segments/define-segment.js'
import { DefinitionLog } from '../../../src/application/segments/definition-log.js'
import type { JsonObject } from '../../../src/domain/json.js'
import { openSqliteStore } from '../../support/open-sqlite-store.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

type Store = ExactAppends & StreamReader

const folder = temporaryFolders()
const clock = { now: () => new Date('2026-11-20T09:30:00.000Z') }
const servedOf = () =>
  Promise.resolve({
    status: 'live' as const,
    servingVersion: 1,
    progress: undefined,
    members: 0,
    digest: '0'.repeat(16),
  })

/** A process that defines segments. */
function definer(store: Store) {
  const log = new DefinitionLog(store)
  const define = defineSegmentUseCase(log, servedOf, clock, uuidGenerator)
  const retire = retireSegmentUseCase(log, clock, uuidGenerator)
  const common = { precondition: {}, requestId: 'req', waitMs: 0 }
  return {
    define: (key: string, rule: JsonObject = { everyone: true }) =>
      define({ key, title: key, kind: 'rule', rule, ...common }),
    retire: (key: string) => retire({ key, ...common }),
    keys: async () => [...(await log.read()).live.keys()],
  }
}

/** A store where another process appends first, before each of the first `times` appends. */
function overtaken(store: Store, quicker: () => Promise<unknown>, times = 1): Store {
  let left = times
  return {
    readStream: (stream, from) => store.readStream(stream, from),
    appendAt: async (append) => {
      if (left > 0) {
        left -= 1
        await quicker()
      }
      return store.appendAt(append)
    },
  }
}

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: () => Promise.resolve(new MemoryEventStore()),
  sqlite: async () => {
    const store = await openSqliteStore(join(folder(), 'facts.db'))
    closing.push(() => store.close())
    return store
  },
}

describe.each(Object.entries(stores))('two processes over one store: %s', (_name, open) => {
  test('see the definitions of each other', async () => {
    const store = await open()
    const [one, other] = [definer(store), definer(store)]
    expect(await one.define('a')).toMatchObject({ outcome: 'new', position: '1' })
    expect(await other.define('a')).toMatchObject({ outcome: 'same', position: '1' })
    expect(await other.define('a', { segment: 'b' }).catch((error: unknown) => error)).toEqual(
      expect.any(RuleRefused),
    )
    await other.define('b')
    await one.retire('a')
    expect([await one.keys(), await other.keys()]).toEqual([['b'], ['b']])
  })

  test('cannot make a cycle together, because the later definition is refused', async () => {
    const store = await open()
    const other = definer(store)
    await other.define('a')
    await other.define('b')
    const one = definer(overtaken(store, () => other.define('b', { segment: 'a' })))
    const cycle = one.define('a', { segment: 'b' })
    await expect(cycle).rejects.toMatchObject({
      violations: [{ path: ['segment'], code: 'cycle' }],
    })
    expect(await store.readStream('segments', 0)).toHaveLength(3)
  })

  test('cannot use a segment that the other process retires', async () => {
    const store = await open()
    const other = definer(store)
    await other.define('a')
    const one = definer(overtaken(store, () => other.retire('a')))
    await expect(one.define('b', { segment: 'a' })).rejects.toMatchObject({
      violations: [{ code: 'unknown_segment' }],
    })
  })

  test('share one sequence of versions', async () => {
    const store = await open()
    const other = definer(store)
    await other.define('a')
    const one = definer(overtaken(store, () => other.define('a', { bucket: { below: 1 } })))
    const changed = await one.define('a', { bucket: { below: 2 } })
    expect(changed).toMatchObject({ outcome: 'changed', segment: { version: 3 } })
  })

  test('both make progress: a process that loses 50 attempts in a row stores its definition', async () => {
    const store = await open()
    const other = definer(store)
    let version = 0
    const quicker = () => other.define('a', { bucket: { below: (version += 1) } })
    const one = definer(overtaken(store, quicker, 50))
    expect(await one.define('b')).toMatchObject({ outcome: 'new' })
  })

  test('define many segments concurrently, each once', async () => {
    const store = await open()
    const [one, other] = [definer(store), definer(store)]
    const keys = Array.from({ length: 40 }, (_, at) => `s${String(at)}`)
    const defined = await Promise.all(
      keys.map((key, at) => (at % 2 === 0 ? one : other).define(key)),
    )
    expect(defined.map(({ outcome }) => outcome)).toEqual(keys.map(() => 'new'))
    expect((await definer(store).keys()).sort()).toEqual(keys.sort())
  })
})

test('a process with many waiting decisions lets another process append in between', async () => {
  const memory = new MemoryEventStore()
  // Each call takes equally long, so without a pause the process that won once would win each time.
  const store: Store = {
    readStream: (stream, from) => immediate().then(() => memory.readStream(stream, from)),
    appendAt: (append) => immediate().then(() => memory.appendAt(append)),
  }
  const [one, other] = [definer(store), definer(store)]
  const stored: string[] = []
  const define = (process: typeof one, key: string) =>
    process.define(key).then(() => stored.push(key))
  const many = Array.from({ length: 60 }, (_, at) => define(one, `many${String(at)}`))
  await Promise.all([...many, define(other, 'single')])
  expect(stored.indexOf('single')).toBeLessThan(60)
})

describe('a definition', () => {
  test('is refused when other processes keep appending first', async () => {
    const store = new MemoryEventStore()
    const appendAt = () => Promise.reject(new WrongRevision(7))
    const busy = { appendAt, readStream: store.readStream.bind(store) }
    await expect(definer(busy).define('a')).rejects.toMatchObject({ code: 'store_unavailable' })
  })

  test('with an unknown outcome is not sent again', async () => {
    const store = new MemoryEventStore()
    let sent = 0
    const silent: Store = {
      readStream: store.readStream.bind(store),
      appendAt: (append) => {
        sent += 1
        return store
          .appendAt(append)
          .then(() => Promise.reject(new Refusal('outcome_unknown', 'no answer')))
      },
    }
    const process = definer(silent)
    await expect(process.define('a')).rejects.toMatchObject({ code: 'outcome_unknown' })
    expect(sent).toBe(1)
    expect(await process.define('a')).toMatchObject({ outcome: 'same' })
  })

  test('is decided on the definitions of a restored store', async () => {
    const [before, restored] = [new MemoryEventStore(), new MemoryEventStore()]
    let store: Store = before
    const process = definer({
      readStream: (stream, from) => store.readStream(stream, from),
      appendAt: (append) => store.appendAt(append),
    })
    await process.define('a')
    expect(await process.keys()).toEqual(['a'])
    store = restored
    expect(await process.define('b')).toMatchObject({ outcome: 'new' })
    expect(await process.keys()).toEqual(['b'])
  })

  test('is read once for all concurrent callers', async () => {
    const store = new MemoryEventStore()
    let reads = 0
    const process = definer({
      appendAt: (append) => store.appendAt(append),
      readStream: (stream, from) => {
        reads += 1
        return store.readStream(stream, from)
      },
    })
    await Promise.all(Array.from({ length: 50 }, () => process.keys()))
    expect(reads).toBe(2)
  })
})
