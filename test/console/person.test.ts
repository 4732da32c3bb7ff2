import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { Calls } from '../../src/client/calls.js'
import type { HistoryEntry, ListedEvent } from '../../src/client/dossier.js'
import { DossierError } from '../../src/client/dossier.js'
import { areAllPlaced, faultsAt } from '../../src/console/parts/faults.js'
import { byDay, entriesOf } from '../../src/console/person/entries.js'
import { kindOf, textOf, valueOfText } from '../../src/console/person/typed-value.js'
import { axisOf, shareOf, ticksOf, timeAt } from '../../src/console/parts/chart/time-axis.js'
import { justAfter, pastIn } from '../../src/console/person/past.js'
import {
  isInstant,
  ownTime,
  typedProperties,
  typedTime,
} from '../../src/console/by-hand/typed-values.js'
import { movesOf } from '../../src/console/person/moves.js'
import {
  marksAtMost,
  marksOf,
  namesOf,
  nearestStop,
  stopAt,
  stopsOf,
} from '../../src/console/person/marks.js'
import { lostNames, propertyHistory } from '../../src/console/person/property-history.js'

const second = (at: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString()

function event(occurred: number, recorded = occurred, name = 'buy'): ListedEvent {
  return {
    ...{ id: `e-${String(occurred)}`, name, properties: {} },
    ...{ timestamp: second(recorded), occurred_at: second(occurred) },
  }
}

function change(at: number, more: Partial<HistoryEntry> = {}): HistoryEntry {
  return {
    fact_id: `c-${String(at)}`,
    ...{ changed_at: second(at), occurred_at: second(at) },
    set: {},
    unset: [],
    request_id: 'r',
    ...more,
  }
}

describe('The time axis of a person', () => {
  it('has a mark at each fact, in the order in which the facts happened', () => {
    const marks = marksOf([event(50), event(100)], [change(0)])
    expect(marks.map(({ factId, at }) => [factId, at])).toEqual([
      ['c-0', Date.parse(second(0))],
      ['e-50', Date.parse(second(50))],
      ['e-100', Date.parse(second(100))],
    ])
  })

  it('marks a fact as late only when it was recorded more than a minute after it happened', () => {
    const marks = marksOf([event(0), event(1, 61), event(2, 63)], [])
    expect(marks.map(({ isLate }) => isLate)).toEqual([false, false, true])
    const changes = [change(3), change(4, { changed_at: second(65) })]
    expect(marksOf([], changes).map(({ isLate }) => isLate)).toEqual([false, true])
  })

  it('has the mark of a late change at its own time', () => {
    const marks = marksOf([event(5)], [change(3, { changed_at: second(90) })])
    expect(marks.map(({ factId }) => factId)).toEqual(['c-3', 'e-5'])
  })

  it('keeps the newest facts when there are too many', () => {
    const marks = marksOf(
      Array.from({ length: marksAtMost + 10 }, (_, at) => event(at)),
      [],
    )
    expect(marks).toHaveLength(marksAtMost)
    expect(marks[0]?.factId).toBe('e-10')
  })

  it('places every instant between its ends, and turns a place back into the instant', () => {
    fc.assert(
      fc.property(fc.nat(1e12), fc.nat(1e9), (from, length) => {
        const axis = axisOf(from, from + length)
        expect(axis.to - axis.from).toBeGreaterThanOrEqual(3_600_000)
        const share = shareOf(axis, from)
        expect(share).toBeGreaterThanOrEqual(0)
        expect(share).toBeLessThanOrEqual(1)
        expect(timeAt(axis, shareOf(axis, axis.to))).toBe(axis.to)
        const { at } = ticksOf(axis, 7)
        expect(at.length).toBeLessThanOrEqual(8)
        for (const tick of at) expect(tick).toBeGreaterThanOrEqual(axis.from)
      }),
    )
  })

  it('has a label at each midnight of a week', () => {
    const axis = { from: Date.UTC(2026, 0, 1, 12), to: Date.UTC(2026, 0, 8, 12) }
    const { at, stepMs } = ticksOf(axis, 7)
    expect(stepMs).toBe(86_400_000)
    expect(at.map((tick) => new Date(tick).toISOString().slice(0, 10))).toEqual(
      [2, 3, 4, 5, 6, 7, 8].map((day) => `2026-01-0${String(day)}`),
    )
  })
})

describe('The handle of the time axis', () => {
  const stops = stopsOf(marksOf([event(10), event(20), event(20)], [change(30)]))

  it('stops once at each instant at which something happened', () => {
    expect(stops).toEqual([second(10), second(20), second(30)])
  })

  it('stands at the last stop up to the requested time, and after all stops for now', () => {
    expect(stopAt(stops, undefined)).toBe(3)
    expect(stopAt(stops, second(20))).toBe(1)
    expect(stopAt(stops, second(29))).toBe(1)
    expect(stopAt(stops, second(31))).toBe(2)
    expect(stopAt(stops, second(1))).toBe(0)
  })

  it('goes to the stop that is nearest to the pointer, or to now', () => {
    const now = Date.parse(second(60))
    expect(nearestStop(stops, Date.parse(second(13)), now)).toBe(0)
    expect(nearestStop(stops, Date.parse(second(26)), now)).toBe(2)
    expect(nearestStop(stops, Date.parse(second(50)), now)).toBe(3)
  })
})

describe('The timeline of a person', () => {
  const others = {
    changes: [change(5), change(25), change(45)],
    moves: [
      { kind: 'left', at: second(35), segment: 'buyers', cause: { kind: 'time' } },
      { kind: 'entered', at: second(31), segment: 'buyers', cause: { kind: 'event' } },
    ],
  } as const
  const kinds = (isFirst: boolean, isLast: boolean) =>
    entriesOf(
      { events: [event(40), event(30), event(20)], by: 'occurred', isFirst, isLast },
      others,
    ).map(({ kind, at }) => [kind, at])

  it('shows changes, enters and leaves between the events, newest first', () => {
    expect(kinds(true, true)).toEqual([
      ['change', second(45)],
      ['event', second(40)],
      ['move', second(35)],
      ['move', second(31)],
      ['event', second(30)],
      ['change', second(25)],
      ['event', second(20)],
      ['change', second(5)],
    ])
  })

  it('leaves out what belongs to another page', () => {
    const times = kinds(false, false).map(([, at]) => at)
    expect(times).not.toContain(second(45))
    expect(times).not.toContain(second(5))
    expect(times).toContain(second(25))
  })

  it('orders events and changes by the time of recording when asked to', () => {
    const page = { events: [event(1, 90)], isFirst: true, isLast: true }
    const changes = [change(2, { changed_at: second(80) })]
    const times = (by: 'occurred' | 'recorded') =>
      entriesOf({ ...page, by }, { changes, moves: [] }).map(({ at }) => at)
    expect(times('recorded')).toEqual([second(90), second(80)])
    expect(times('occurred')).toEqual([second(2), second(1)])
  })

  it('groups its entries by day, without changing their order', () => {
    const entries = entriesOf(
      { events: [event(40), event(30)], by: 'occurred', isFirst: true, isLast: true },
      { changes: [], moves: [] },
    )
    const days = byDay(entries, (at) => (at === second(40) ? 'Today' : 'Yesterday'))
    expect(days.map(({ day, entries: its }) => [day, its.length])).toEqual([
      ['Today', 1],
      ['Yesterday', 1],
    ])
  })
})

describe('An edited property', () => {
  it('keeps the type of its value', () => {
    for (const value of ['12', 12, true, { a: [1] }, null])
      expect(valueOfText(kindOf(value), textOf(value))).toEqual({ value })
  })

  it('is refused when its text is not of that type', () => {
    expect(valueOfText('number', 'many')).toHaveProperty('wrong')
    expect(valueOfText('number', ' ')).toHaveProperty('wrong')
    expect(valueOfText('JSON', '{a: 1}')).toHaveProperty('wrong')
  })
})

it('names of events are listed by frequency, highest first', () => {
  expect(namesOf([event(1, 1, 'login'), event(2), event(3)])).toEqual(['buy', 'login'])
})

it('the history of each property lists its values newest first, with the requests that set them', () => {
  const entries = [
    change(3, { unset: ['plan'], request_id: 'r-3' }),
    change(2, { set: { plan: 'paid', n: 1 } }),
    change(1, { set: { plan: 'free', toString: null } }),
  ]
  const history = propertyHistory(entries, {})
  expect([...history.keys()]).toEqual(['plan', 'n', 'toString'])
  expect(history.get('plan')?.map(({ value }) => value)).toEqual([undefined, 'paid', 'free'])
  expect(history.get('plan')?.[0]?.requestId).toBe('r-3')
})

describe('A change that was recorded late', () => {
  const paid = change(30, { set: { plan: 'paid', seats: 4 } })
  const late = change(20, { set: { plan: 'trial', city: 'Oslo' }, changed_at: second(90) })
  const free = change(10, { set: { plan: 'free' } })

  it('loses each property that a change with a later own time had set', () => {
    const lost = lostNames([paid, late, free], [late, paid, free])
    expect(lost).toEqual({ 'c-20': ['plan'] })
    const history = propertyHistory([paid, late, free], lost)
    expect(history.get('plan')?.map(({ value, hasLost }) => [value, hasLost])).toEqual([
      ['paid', false],
      ['trial', true],
      ['free', false],
    ])
    expect(history.get('city')?.map(({ hasLost }) => hasLost)).toEqual([false])
    expect(history.get('plan')?.[1]).toMatchObject({ at: second(20), recordedAt: second(90) })
  })

  it('loses to a removal, and does not lose to a change that was recorded after it', () => {
    const removed = change(30, { unset: ['plan'] })
    expect(lostNames([removed, late], [late, removed])).toEqual({ 'c-20': ['plan'] })
    expect(lostNames([removed, late], [removed, late])).toEqual({})
  })

  it('loses to a change that is older than the list by recording', () => {
    expect(lostNames([paid, late], [late])).toEqual({ 'c-20': ['plan'] })
  })
})

describe('The enters and leaves of a person', () => {
  const entered = { at: second(1), cause: { kind: 'event' as const } }
  const left = { at: second(2), cause: { kind: 'time' as const } }

  function clientOf(answers: Readonly<Record<string, object>>): Calls {
    const explain = (segment: string) => {
      const answer = answers[segment]
      return answer instanceof Error
        ? Promise.reject(answer)
        : Promise.resolve({ segment, ...answer })
    }
    return { segments: { explain } } as unknown as Calls
  }

  it('are those of every period of every segment, except segments that are being counted', async () => {
    const building = new DossierError({ code: 'building', message: '', stored: 'no' })
    const client = clientOf({
      buyers: { periods: [{ entered, left }] },
      lost: { periods: [{ entered, left: null }] },
      new: building,
    })
    const { signal } = new AbortController()
    expect(await movesOf(client, 'ada', ['buyers', 'lost', 'new'], {}, signal)).toEqual([
      { kind: 'entered', segment: 'buyers', ...entered },
      { kind: 'left', segment: 'buyers', ...left },
      { kind: 'entered', segment: 'lost', ...entered },
    ])
  })

  it('fail with an error of the service', async () => {
    const error = new DossierError({ code: 'overloaded', message: '', stored: 'no' })
    const { signal } = new AbortController()
    await expect(movesOf(clientOf({ buyers: error }), 'ada', ['buyers'], {}, signal)).rejects.toBe(
      error,
    )
  })
})

describe('Typed input', () => {
  it('is a JSON object, or is reported as invalid before anything is sent', () => {
    expect(typedProperties(' ')).toEqual({ value: {} })
    expect(typedProperties('{"a": [1]}')).toEqual({ value: { a: [1] } })
    expect(typedProperties('[1]')).toHaveProperty('wrong')
    expect(typedProperties('null')).toHaveProperty('wrong')
    expect(typedProperties('{a: 1}')).toHaveProperty('wrong')
  })

  it('is a time in UTC without an offset, and is sent unchanged when it is not a time', () => {
    expect(typedTime(' ')).toBeUndefined()
    expect(typedTime('2026-11-01')).toBe('2026-11-01T00:00:00Z')
    expect(typedTime('2026-11-01 09:30')).toBe('2026-11-01T09:30:00Z')
    expect(typedTime('2026-11-01 09:30:05 +02:00')).toBe('2026-11-01T09:30:05+02:00')
    expect(typedTime('2026-11-01T09:30:00.123Z')).toBe('2026-11-01T09:30:00.123Z')
    expect(typedTime('yesterday')).toBe('yesterday')
    const times = ['2026-11-01', '2026-11-01 09:30', '2026-11-01T09:30:00.123Z']
    expect(times.map((time) => isInstant(typedTime(time) ?? ''))).toEqual([true, true, true])
    const others = ['24 Nov', 'yesterday', '2026-02-30', '2026-11-01 25:00', '2026']
    expect(others.filter((time) => isInstant(typedTime(time) ?? ''))).toEqual([])
    expect(ownTime('2026-11-01')).toEqual({ occurred_at: '2026-11-01T00:00:00Z' })
    expect(ownTime(' ')).toEqual({})
  })
})

describe('Faults that the service reports', () => {
  const details = [
    { path: '/set/a', code: 'too_deep' as const, message: 'must be flat' },
    { path: '/settings', code: 'unknown_field' as const, message: 'is not known' },
  ]
  const parts = { code: 'validation_failed' as const, message: '', stored: 'no' as const }

  it('appear at the field of their path, and not at a field with the same prefix', () => {
    const error = new DossierError({ ...parts, details })
    expect(faultsAt(error, '/set')).toEqual(['/a: must be flat'])
    expect(faultsAt(undefined, '/set')).toEqual([])
  })

  it('all appear at fields, or are shown as a whole too', () => {
    const error = new DossierError({ ...parts, details })
    expect(areAllPlaced(error, ['/set', '/settings'])).toBe(true)
    expect(areAllPlaced(error, ['/set'])).toBe(false)
    expect(areAllPlaced(new DossierError(parts), ['/set'])).toBe(false)
  })
})

describe('The past of a person', () => {
  it('is read from the address, a day as its midnight, and absent without parameters', () => {
    expect(pastIn(new URLSearchParams('as_of=2026-01-01&known_at='))).toEqual({
      as_of: '2026-01-01T00:00:00Z',
    })
  })

  it('ends just after its instant, and passes an invalid time to the service', () => {
    expect(justAfter(second(1))).toBe('2026-01-01T00:00:01.001Z')
    expect(justAfter('yesterday')).toBe('yesterday')
  })
})
