import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { setImmediate as immediate } from 'node:timers/promises'
import type { ExactAppend, ExactReceipt } from '../../../src/application/ports/exact-appends.js'
import { metadataText } from '../../../src/application/facts/metadata.js'
import { Refusal, RefusalAt, WrongRevision } from '../../../src/application/ports/refusal.js'
import { SegmentPublisher } from '../../../src/application/segments/publish-segments.js'
import type { Unpublished } from '../../../src/application/segments/ports/segment-queries.js'
import { LogLines } from '../../support/log-lines.js'
import { ManualPause } from '../../support/manual-pause.js'
import { UnpublishedModel } from '../../support/segments/unpublished-model.js'

const start = Date.parse('2026-11-20T09:30:00.000Z')
const second = 1_000
const minute = 60_000

const data = {
  segment: 'loyal',
  version: 2,
  resolved: {},
  through: 'the definition',
  members: 0,
  digest: '0000000000000000',
  builtAt: '2026-11-20T09:00:00.000Z',
}
const causedBy = { factId: 'the definition', requestId: 'req-7' }
const built: Unpublished['streams'][number] = {
  stream: 'members-loyal',
  revision: 4,
  facts: [{ type: 'SegmentBuilt', data, causedBy }],
}
const change = { segment: 'new', version: 1, entityId: 'ada', at: '2026-11-20T09:00:00.000Z' }
const changes: Unpublished['streams'][number] = {
  stream: 'members-new',
  revision: 7,
  facts: [
    {
      type: 'EntityEnteredSegment',
      data: { ...change, cause: { kind: 'event', factId: 'the event' } },
      causedBy: { factId: 'the event', requestId: 'req-8' },
    },
    { type: 'EntityLeftSegment', data: { ...change, cause: { kind: 'time' } } },
  ],
}

let model: UnpublishedModel
let pauses: ManualPause
let log: LogLines
let now: number
let appends: ExactAppend[]
/** Returns the result of the next append. */
let answer: () => Promise<ExactReceipt>
let keeper: SegmentPublisher

beforeEach(() => {
  model = new UnpublishedModel({ logTime: start })
  pauses = new ManualPause()
  log = new LogLines()
  now = start
  appends = []
  answer = storedAndRead
  let id = 0
  keeper = new SegmentPublisher(model, {
    store: {
      appendAt: (append) => {
        appends.push(append)
        return answer()
      },
    },
    clock: { now: () => new Date(now) },
    ids: { next: () => `id-${String((id += 1))}` },
    log,
    pause: pauses.pause,
    random: () => 0.5,
  })
})
afterEach(() => keeper.stop())

const stored = { position: '1', revision: 0 }

/** Applies published facts to the read model before the next query. */
function storedAndRead(): Promise<ExactReceipt> {
  const isTick = appends.at(-1)?.stream === 'dossier-clock'
  const others = model.unpublished.streams.filter(({ stream }) => stream !== appends.at(-1)?.stream)
  model.become(
    { hasUnpublished: others.length > 0, ...(isTick ? { logTime: now, nextDue: undefined } : {}) },
    { streams: others },
  )
  return Promise.resolve(stored)
}

async function started(): Promise<void> {
  keeper.start()
  await pauses.begun()
}

/** The published facts, each with its stream and the revision before it. */
function published() {
  return appends.map(({ stream, revision, facts }) => {
    const [{ type, data } = { type: '', data: '{}' }] = facts
    return { stream, revision, type, data: JSON.parse(data) as unknown }
  })
}

function tick(at: number, revision = -1) {
  const data = { now: new Date(at).toISOString() }
  return { stream: 'dossier-clock', revision, type: 'TimePassed', data }
}

it('publishes derived changes after the revision that the read model has applied', async () => {
  model.become({ hasUnpublished: true }, { streams: [built, changes] })
  answer = () => Promise.reject(new WrongRevision(9))
  await started()
  expect(published()).toEqual([
    { stream: 'members-loyal', revision: 4, type: 'SegmentBuilt', data },
    {
      stream: 'members-new',
      revision: 7,
      type: 'EntityEnteredSegment',
      data: changes.facts[0]?.data,
    },
  ])
  expect(appends[1]?.facts).toMatchObject([
    {
      type: 'EntityEnteredSegment',
      metadata: metadataText(1, {
        requestId: 'req-8',
        keyHash: undefined,
        causationId: 'the event',
      }),
    },
    {
      type: 'EntityLeftSegment',
      metadata: expect.stringMatching(/^\{"schemaVersion":2,"\$correlationId":"id-\d+"\}$/),
    },
  ])
  expect(model.asked).toMatchObject([{ name: 'unpublished', want: { waitMs: 1_000 } }])
})

it('continues at once with changes that follow from its published facts', async () => {
  model.become({ hasUnpublished: true }, { streams: [changes] })
  answer = () => {
    if (appends.length === 3) model.become({ hasUnpublished: false }, { streams: [] })
    return Promise.resolve({ position: String(100 + appends.length), revision: 9 })
  }
  await started()
  expect(appends).toHaveLength(3)
  expect(model.asked.map(({ want }) => want.position)).toEqual([undefined, 101, 102])
  expect(pauses.lengths).toEqual([second])
})

it('waits without a log line when the read model lags its published facts', async () => {
  model.become({ hasUnpublished: true }, { streams: [changes] })
  answer = () => Promise.resolve({ position: '100', revision: 9 })
  model.whenAsked = () => {
    if (appends.length > 0) throw new RefusalAt('read_model_behind', 100)
  }
  await started()
  expect([appends.length, pauses.lengths, log.lines]).toEqual([1, [750], []])
})

it('skips a stream for a minute when appends to it are lost repeatedly to unread facts', async () => {
  model.become({ hasUnpublished: true }, { streams: [built, changes] })
  answer = () => {
    const isBuilt = appends.at(-1)?.stream === built.stream
    return isBuilt ? Promise.reject(new WrongRevision(9)) : Promise.resolve(stored)
  }
  await started()
  for (let times = 1; times < 5; times += 1) {
    expect(log.lines).toEqual([])
    await pauses.pass()
  }
  expect(model.asked.at(-1)?.query.except).toEqual([])
  expect(log.lines).toMatchObject([{ level: 'warn', details: { stream: 'members-loyal' } }])
  await pauses.pass()
  expect(model.asked.at(-1)?.query.except).toEqual(['members-loyal'])
  now += minute
  await pauses.pass()
  expect(model.asked.at(-1)?.query.except).toEqual([])
  expect(log.lines).toHaveLength(1)
})

it('continues after the store was restored to a state before its published facts', async () => {
  model.become({ hasUnpublished: true }, { streams: [changes] })
  answer = () => Promise.resolve({ position: '100', revision: 9 })
  model.whenAsked = () => {
    if (model.asked.at(-1)?.want.position === 100) throw new RefusalAt('position_unknown', 7)
  }
  await started()
  answer = storedAndRead
  await pauses.pass()
  expect(model.asked.map(({ want }) => want.position)).toEqual([undefined, 100, undefined])
  expect([appends.length, log.lines]).toEqual([2, []])
})

it('publishes nothing while nothing is due, and checks its clock once a second', async () => {
  await started()
  now += 10 * minute
  await pauses.pass()
  model.become({ nextDue: now + 1 })
  await pauses.pass()
  expect([published(), model.asked]).toEqual([[], []])
  expect(pauses.lengths).toEqual([second, second, 1])
})

it('publishes the time within a second after its clock jumped past a scheduled change', async () => {
  model.become({ nextDue: start + 60 * minute })
  await started()
  expect(pauses.lengths).toEqual([second])
  now += 24 * 60 * minute
  await pauses.pass()
  expect(published()).toEqual([tick(now)])
})

it('publishes the time exactly when a change is due by its clock', async () => {
  model.become({ logTime: start - minute, nextDue: start + 500 })
  await started()
  expect(pauses.lengths).toEqual([500])
  now = start + 499
  await pauses.pass()
  expect(published()).toEqual([])
  now += 1
  model.unpublished = { streams: [], clockRevision: 7 }
  await pauses.pass()
  expect(published()).toEqual([tick(now, 7)])
})

it('wakes for a change that is due earlier than all known ones', async () => {
  model.become({ logTime: start - minute })
  await started()
  model.become({ nextDue: start + 100 })
  await immediate()
  expect(pauses.lengths).toEqual([second, 100])
  model.become({ nextDue: start + 200 })
  await immediate()
  expect(pauses.lengths).toHaveLength(2)
})

it('publishes no time when a fact moved log time past the scheduled change, also during its query', async () => {
  model.become({ nextDue: start + minute })
  await started()
  now = start + minute
  model.whenAsked = () => {
    model.become({ logTime: start + minute + 1, nextDue: start + 5 * minute })
  }
  await pauses.pass()
  expect([model.asked.length, published()]).toEqual([1, []])
})

it('publishes no time while log time moves during its query, even if not past the scheduled change', async () => {
  model.become({ nextDue: start + minute })
  await started()
  now = start + minute
  model.whenAsked = () => {
    model.become({ logTime: start + minute - 1 })
  }
  await pauses.pass()
  expect([model.asked.length, published()]).toEqual([1, []])
})

it('publishes no time for a change that is due at log time, because it is applied', async () => {
  now = start + minute
  model.become({ hasUnpublished: true, nextDue: start }, { streams: [built] })
  await started()
  expect(published().map(({ type }) => type)).toEqual(['SegmentBuilt'])
})

it('publishes no time within a second of any fact that moved log time', async () => {
  model.become({ logTime: start + 59_400, nextDue: start + 59_401 })
  now = start + 60_399
  await started()
  expect([pauses.lengths, published()]).toEqual([[1], []])
  now += 1
  await pauses.pass()
  expect(published()).toEqual([tick(start + 60_400)])
})

it('publishes no time while its clock lags log time', async () => {
  model.become({ logTime: start, nextDue: start + 1 })
  now = start - minute
  await started()
  await pauses.pass()
  expect([pauses.lengths, published()]).toEqual([[second, second], []])
})

it.each([
  ['another process was first', () => new WrongRevision(5), 0],
  ['the clock is not trusted', () => new Refusal('clock_untrusted', 'by an hour'), 1],
  ['the outcome is unknown', () => new Refusal('outcome_unknown', 'no answer'), 1],
  ['the store is unavailable', () => new Refusal('store_unavailable', 'away'), 1],
])('retries no append when %s, and reads the log instead', async (_, error, lines) => {
  now = start + minute
  const nextDue = error() instanceof WrongRevision ? undefined : now
  model.become({ hasUnpublished: true, nextDue }, { streams: [built] })
  answer = () => Promise.reject(error())
  await started()
  expect([published().length, model.asked.length, pauses.lengths]).toEqual([1, 1, [750]])
  model.become({ hasUnpublished: false, nextDue: undefined }, { streams: [] })
  await pauses.pass()
  expect([published().length, log.lines.length]).toEqual([1, lines])
})

it('continues with other segments when the stream of one segment was removed', async () => {
  const other = { ...built, stream: 'members-other', revision: -1 }
  now = start + minute
  model.become({ hasUnpublished: true, nextDue: now }, { streams: [built, other] })
  answer = () => {
    answer = storedAndRead
    return Promise.reject(new Refusal('stream_removed', 'members-loyal was removed'))
  }
  await started()
  expect(published().map(({ stream }) => stream)).toEqual([
    'members-loyal',
    'members-other',
    'dossier-clock',
  ])
  expect(log.lines).toHaveLength(1)
})

it('logs once why it cannot publish, however often it tries', async () => {
  model.become({ hasUnpublished: true }, { streams: [built] })
  answer = () => Promise.reject(new Refusal('clock_untrusted', 'by an hour'))
  await started()
  await pauses.pass()
  await pauses.pass()
  expect(log.lines).toEqual([
    { level: 'warn', details: { reason: 'by an hour' }, message: expect.any(String) },
  ])
  expect(appends).toHaveLength(3)
})

it('stops while it sleeps', async () => {
  await started()
  await keeper.stop()
  expect(model.watchers).toBe(0)
})
