import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { writeAnswer } from '../../../../../src/adapters/sqlite/read-model/thread/answer-texts.js'
import { ReadThread } from '../../../../../src/adapters/sqlite/read-model/thread/read-thread.js'
import { Cancellation } from '../../../../../src/application/ports/cancellation.js'
import { JsonText } from '../../../../../src/domain/json.js'
import { StoreNotOpened } from '../../../../../src/application/ports/refusal.js'
import { LogLines } from '../../../../support/log-lines.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { startedReadThread } from '../../../../support/started-programs.js'
import { storedEntity } from '../../../../support/stored-entity.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
const keptFolder = temporaryFolders(afterAll)

/**
 * Runs the thread until a message arrives at the port `ender`. `terminate()` ends a thread within a call of SQLite too,
 * and the SQLite driver for Node 20 then ends the process.
 */
const endingModule = `
  const { workerData } = require('node:worker_threads')
  workerData.ender.on('message', () => process.exit(1)).unref()
  import(${JSON.stringify(pathToFileURL(startedReadThread()).href)})
`

type Opened = { close(): Promise<void> }[]

const opened: Opened = []
afterEach(() => closeAll(opened))

async function closeAll(all: Opened): Promise<void> {
  for (const one of all.splice(0).reverse()) await one.close()
}

/** Opens a store in a file, and the thread that reads it. */
async function open(
  place = folder(),
  { readModel = join(place, 'read-model.db'), opened: owner = opened } = {},
) {
  const path = join(place, 'dossier.db')
  const store = await openSqliteStore(path)
  owner.push(store)
  const log = new LogLines()
  const workers: Worker[] = []
  const enders: MessagePort[] = []
  const { commitMemory } = store
  const thread = await ReadThread.open({
    log,
    start: () => {
      const { port1, port2: ender } = new MessageChannel()
      const worker = new Worker(endingModule, {
        eval: true,
        workerData: {
          readModel,
          log: { url: `sqlite:${path}`, timeoutMs: 60_000, commitMemory },
          ender,
        },
        transferList: [ender],
      })
      workers.push(worker)
      enders.push(port1)
      return worker
    },
  })
  owner.push(thread)
  const write = async (externalId: string) => {
    let position = ''
    for (const append of storedEntity(externalId, 2)) ({ position } = await store.append(append))
    return Number(position)
  }
  /** Records one more event of the entity. */
  const writeMore = async (externalId: string) => {
    const append = storedEntity(externalId, 1).at(-1)
    if (append === undefined) throw new RangeError('there is an event')
    return Number((await store.append(append)).position)
  }
  const profile = (externalId: string, position: number, waitMs = 20_000) =>
    thread.query('profile', { externalId }, { position, waitMs })
  /** Ends the thread that was started as number `index`. */
  const endThread = async (index: number) => {
    const [worker, ender] = [workers[index], enders[index]]
    if (worker === undefined || ender === undefined) throw new RangeError('no thread was started')
    ender.postMessage('end')
    await once(worker, 'exit')
    ender.close()
  }
  return { thread, workers, endThread, log, write, writeMore, profile, readModel }
}

/** A thread for the tests that do not end it. Its start costs more than all of their queries. */
let shared: Awaited<ReturnType<typeof open>>
const keptOpen: Opened = []
beforeAll(async () => {
  shared = await open(keptFolder(), { opened: keptOpen })
})
afterAll(() => closeAll(keptOpen))

const adasProfile = {
  externalId: 'ada',
  entityId: '01a1ff14-0000-7000-8000-000000000001',
  properties: new JsonText('{}'),
  createdAt: '2026-11-20T09:00:00.000Z',
  recordedAt: '2026-11-20T09:00:00.000Z',
  updatedAt: '2026-11-20T09:00:00.000Z',
  lastEventAt: undefined,
  eventCount: 0,
  segments: [],
  segmentsBuilding: [],
}

/** Resolves when the thread has ended and answers again. */
function answering(thread: ReadThread): Promise<void> {
  return new Promise<void>((resolved) => {
    const stop = thread.watch(() => {
      if (thread.status.isBuilding) return
      stop()
      resolved()
    })
  })
}

/** Opens a thread whose disk does not respond until the test releases it. */
async function openHanging() {
  const log = new LogLines()
  const workers: Worker[] = []
  const code = `
    const { parentPort } = require('node:worker_threads')
    parentPort.postMessage({ kind: 'opening' })
    parentPort.on('message', (message) => {
      if (message.kind === 'close') parentPort.close()
      else if (message.kind !== 'requests') parentPort.postMessage(message)
    })`
  const thread = await ReadThread.open({
    log,
    openingMs: 20,
    start: () => {
      const worker = new Worker(code, { eval: true })
      workers.push(worker)
      return worker
    },
  })
  opened.push(thread)
  return { thread, log, workers, say: (message: object) => workers[0]?.postMessage(message) }
}

describe('a read thread that does not open in time', () => {
  it('refuses every query at once, with the reason in its status', async () => {
    const { thread, log } = await openHanging()
    const asked = thread.query('profile', { externalId: 'ada' }, { waitMs: 60_000 })
    await expect(asked).rejects.toMatchObject({ code: 'read_model_behind' })
    expect(thread.status).toMatchObject({
      isBuilding: true,
      trouble: 'the read model has not opened in time',
    })
    expect(log.lines.map(({ message }) => message)).toEqual([
      'reads are refused until the read model has opened',
    ])
  })

  it('answers queries as soon as it has opened', async () => {
    const { thread, say } = await openHanging()
    const there = answering(thread)
    const status = { ...thread.status, isBuilding: false, trouble: undefined, builds: 1 }
    say({ kind: 'opened', status })
    await there
    expect(thread.status).toEqual(status)
  })

  it('logs the error of a later opening, and tries again', async () => {
    const { thread, log, say } = await openHanging()
    const told = new Promise<void>((resolved) => {
      log.error = (details, message) => {
        expect([details, message]).toEqual([
          { reason: 'it is in use' },
          'the read model cannot be opened',
        ])
        resolved()
      }
    })
    say({ kind: 'not_opened', reason: 'it is in use' })
    await told
    expect(thread.status.isBuilding).toBe(true)
  })
})

describe('the read thread', () => {
  it('answers many concurrent queries, each with its own answer', async () => {
    const { write, profile, thread } = shared
    const names = Array.from({ length: 20 }, (_, n) => `customer ${String(n)}`)
    let position = 0
    for (const name of names) position = await write(name)
    const answers = await Promise.all(names.map((name) => profile(name, position)))
    expect(answers.map(({ value }) => value?.externalId)).toEqual(names)
    expect(answers.every((answer) => answer.position === position)).toBe(true)
    expect(thread.status.applied.position).toBe(position)
  })

  it('passes on the errors of the read model with their codes', async () => {
    const { write, profile } = shared
    const position = await write('grace')
    await profile('grace', position)
    await expect(profile('grace', position + 1, 120)).rejects.toMatchObject({
      code: 'position_unknown',
      position,
    })
  })

  it('restarts when it ends unexpectedly, and counts the rebuilds of all its threads', async () => {
    const { write, profile, thread, workers, endThread, log, readModel } = await open()
    const position = await write('ada')
    await profile('ada', position)
    const waiting = profile('ada', position + 1)
    await endThread(0)
    await expect(waiting).rejects.toMatchObject({ code: 'read_model_behind' })
    await expect(profile('ada', position)).rejects.toMatchObject({ code: 'read_model_behind' })
    const again = answering(thread)
    const next = await write('bob')
    await again
    expect((await profile('bob', next)).value?.externalId).toBe('bob')
    expect(workers).toHaveLength(2)
    expect(log.lines.map(({ message }) => message)).toContain(
      'the thread of the read model ended and is restarted',
    )
    expect(thread.status.builds).toBe(1)

    await endThread(1)
    rmSync(readModel)
    await answering(thread)
    expect(thread.status.builds).toBe(2)
  })

  it('does not open a file that another owner has', async () => {
    const { readModel } = shared
    await expect(open(folder(), { readModel })).rejects.toThrow(StoreNotOpened)
  })
})

describe('a profile that was read again', () => {
  it('is answered without the thread until it changes', async () => {
    const { write, writeMore, profile, workers } = shared
    const first = await write('ada')
    for (let reads = 0; reads < 3; reads += 1) await profile('ada', first)
    const [worker] = workers
    if (worker === undefined) throw new Error('no thread was started')
    const posted: unknown[] = []
    const postMessage = worker.postMessage.bind(worker)
    worker.postMessage = (message) => {
      posted.push(message)
      postMessage(message)
    }
    const kept = await profile('ada', first)
    expect(kept).toMatchObject({ position: first, value: { externalId: 'ada', eventCount: 2 } })
    expect(posted).toEqual([])

    const other = await write('bob')
    await profile('bob', other)
    posted.length = 0
    expect((await profile('ada', other)).position).toBe(other)
    expect(posted).toEqual([])

    const second = await writeMore('ada')
    expect(await profile('ada', second)).toMatchObject({
      position: second,
      value: { eventCount: 3 },
    })
    expect(posted).not.toEqual([])
    Reflect.deleteProperty(worker, 'postMessage')
  })

  it('is answered by the thread when the thread has been quiet for a second', async () => {
    const now = jest.spyOn(performance, 'now')
    try {
      const { thread, workers, say } = await openHanging()
      const there = answering(thread)
      say({ kind: 'opened', status: { ...thread.status, isBuilding: false, trouble: undefined } })
      await there
      const ask = (answerMs: number) =>
        thread.query('profile', { externalId: 'ada' }, { waitMs: 0, answerMs })
      const first = ask(60_000)
      const text = writeAnswer('profile', adasProfile)
      now.mockReturnValue(5_000)
      workers[0]?.emit('message', { kind: 'responses', responses: [[0, 7, 70, text, true]] })
      now.mockReturnValue(6_000)
      expect(await ask(60_000)).toEqual(await first)
      now.mockReturnValue(6_001)
      const late = ask(1)
      now.mockRestore()
      await expect(late).rejects.toMatchObject({ code: 'read_model_behind' })
    } finally {
      now.mockRestore()
    }
  })
})

const refusedAsOverloaded = {
  kind: 'responses',
  responses: [{ id: 0, code: 'overloaded', position: undefined }],
}

describe('a query whose caller no longer waits', () => {
  const profile = { externalId: 'ada' }

  it('is never sent if it was cancelled before', async () => {
    const { thread } = shared
    const cancelled = new Cancellation()
    cancelled.cancel()
    // No test has read this profile, so no kept answer can be returned.
    const unread = { externalId: 'unread' }
    const asked = thread.query('profile', unread, { waitMs: 0, cancellation: cancelled })
    await expect(asked).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('is cancelled in the thread, and settled when the thread has stopped it', async () => {
    const { thread, workers, say } = await openHanging()
    const there = answering(thread)
    say({ kind: 'opened', status: { ...thread.status, isBuilding: false, trouble: undefined } })
    await there
    const given = new Promise((resolved) => workers[0]?.once('message', resolved))
    const gone = new Cancellation()
    const want = { waitMs: 20_000, caller: 'key', cancellation: gone }
    const asked = thread.query('profile', profile, want)
    gone.cancel()
    expect(await given).toEqual({ kind: 'cancelled', id: 0 })
    say(refusedAsOverloaded)
    await expect(asked).rejects.toMatchObject({ code: 'overloaded' })
  })

  it('does not affect the next query, which has the same id', async () => {
    const { thread, workers, say } = await openHanging()
    const there = answering(thread)
    say({ kind: 'opened', status: { ...thread.status, isBuilding: false, trouble: undefined } })
    await there
    const [worker] = workers
    if (worker === undefined) throw new Error('no thread was started')
    const sent: unknown[] = []
    worker.postMessage = (message) => sent.push(message)
    try {
      const gone = new Cancellation()
      const first = thread.query('profile', profile, {
        waitMs: 0,
        caller: 'key',
        cancellation: gone,
      })
      const refused = expect(first).rejects.toMatchObject({ code: 'overloaded' })
      await immediate()
      gone.cancel()
      worker.emit('message', refusedAsOverloaded)
      await refused
      const second = thread.query('profile', profile, { waitMs: 0, caller: 'key' })
      const secondRefusal = second.catch((error: unknown) => error)
      await immediate()
      expect(sent).toMatchObject([
        { kind: 'requests', requests: expect.stringContaining('[{"id":0,') },
        { kind: 'cancelled', id: 0 },
        { kind: 'requests', requests: expect.stringContaining('[{"id":0,') },
      ])
      worker.emit('message', refusedAsOverloaded)
      expect(await secondRefusal).toMatchObject({ code: 'overloaded' })
    } finally {
      Reflect.deleteProperty(worker, 'postMessage')
    }
  })

  it('is refused with `read_model_behind` soon after its time limit if the thread hangs', async () => {
    const { thread, say } = await openHanging()
    const there = answering(thread)
    say({ kind: 'opened', status: { ...thread.status, isBuilding: false, trouble: undefined } })
    await there
    const asked = thread.query('profile', profile, { waitMs: 0, answerMs: 1, caller: 'key' })
    await expect(asked).rejects.toMatchObject({ code: 'read_model_behind' })
  })
})
