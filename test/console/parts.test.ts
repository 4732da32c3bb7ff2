import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { DossierError, type ServiceStatus } from '../../src/client/dossier.js'
import { healthOf } from '../../src/console/frame/health-of.js'
import { byName, eventsOf } from '../../src/console/overview/day-counts.js'
import { Answers } from '../../src/console/parts/answers.js'
import { countTicks, labelIndexes } from '../../src/console/parts/chart/count-axis.js'
import { nearestPoint } from '../../src/console/parts/chart/nearest-point.js'
import { sparkPoints } from '../../src/console/parts/chart/spark-points.js'
import { sumsUpTo } from '../../src/console/parts/chart/stack.js'
import { grouped, shownSum } from '../../src/console/parts/numbers.js'
import { agoWords, dayName, shownTime, waitAfter } from '../../src/console/parts/times.js'
import { valueWords } from '../../src/console/parts/value-words.js'

describe('a repeated query of a view', () => {
  it('runs less often when the response is large', () => {
    expect(waitAfter({ items: [] }, 2_000)).toBe(2_000)
    expect(waitAfter(undefined, 2_000)).toBe(2_000)
    expect(waitAfter({ huge: 'x'.repeat(1_048_576) }, 2_000)).toBeGreaterThan(20_000)
  })
})

describe('numbers', () => {
  it.each([
    [0.1 + 0.2, '0.30'],
    [2.999999999999, '3.00'],
    [12_345, '12\u202f345'],
    [-1_234.5, '-1\u202f234.50'],
    [-0.5, '-0.50'],
    [1e21, '1\u202f000\u202f000\u202f000\u202f000\u202f000\u202f000\u202f000'],
  ])('a sum of %d is shown as %s', (sum, shown) => {
    expect(shownSum(sum)).toBe(shown)
  })

  it.each([
    [2_026, '2026'],
    [754.16, '754.16'],
    [12_345.678, '12\u202f345.678'],
    [-50_000, '-50\u202f000'],
  ])('the value %d keeps all its digits: %s', (value, shown) => {
    expect(grouped(value)).toBe(shown)
  })
})

describe('times', () => {
  it('have a year only when it is not this one', () => {
    const year = new Date().getUTCFullYear()
    expect(shownTime(`${String(year)}-11-25T13:10:05Z`, 'UTC')).toBe('25 Nov 13:10')
    expect(shownTime('2001-11-25T13:10:05Z', 'UTC')).toBe('25 Nov 2001 13:10')
    expect(shownTime('no time', 'UTC')).toBe('no time')
  })

  it('of one day are under the name of the day', () => {
    const now = Date.parse('2026-11-26T10:00:00Z')
    expect(dayName('2026-11-26T00:00:00Z', 'UTC', now)).toBe('Today, 26 November')
    expect(dayName('2026-11-25T23:59:59Z', 'UTC', now)).toBe('Yesterday, 25 November')
    expect(dayName('2026-11-19T13:00:00Z', 'UTC', now)).toBe('Thursday, 19 November')
    expect(dayName('2025-11-19T13:00:00Z', 'UTC', now)).toBe('Wednesday, 19 November 2025')
  })

  it('that lie apart are said in the largest unit', () => {
    expect(agoWords(7 * 86_400_000 + 1)).toBe('7 days')
    expect(agoWords(90_000)).toBe('1 minute')
  })
})

describe('values in one line', () => {
  it('are short, and every character in them can be seen', () => {
    const words = valueWords({ a: 'x'.repeat(100), 'b\u202e': 1, c: { d: 1 }, e: [1, 2], f: null })
    expect(words).toEqual([
      { name: 'a', text: `${'x'.repeat(60)}…` },
      { name: 'b⟨U+202E⟩', text: '1' },
      { name: 'c', text: '{…}' },
      { name: 'e', text: '[2]' },
      { name: 'f', text: 'null' },
    ])
  })

  it('are the first six of an object', () => {
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${String(at)}`, at]))
    expect(valueWords(many)).toHaveLength(6)
  })
})

describe('the axis of counts', () => {
  it.each([
    [0, [0, 1]],
    [3, [0, 1, 2, 3]],
    [77, [0, 20, 40, 60, 80]],
    [154, [0, 50, 100, 150, 200]],
  ])('for %d has round lines, the highest one not below it', (highest, ticks) => {
    expect(countTicks(highest)).toEqual(ticks)
  })

  it('has labels for some bars, the last one among them', () => {
    expect(labelIndexes(30, 5)).toEqual([5, 11, 17, 23, 29])
    expect(labelIndexes(3, 5)).toEqual([0, 1, 2])
  })
})

describe('charts', () => {
  it('stack each series on the series before it', () => {
    expect(
      sumsUpTo([
        [1, 2],
        [10, 20],
        [0, 5],
      ]),
    ).toEqual([
      [1, 2],
      [11, 22],
      [11, 27],
    ])
  })

  it('draw a small line over the whole width, and equal values in the middle', () => {
    expect(sparkPoints([0, 10], 90, 22)).toBe('0.0,20.0 90.0,2.0')
    expect(sparkPoints([5, 5], 90, 22)).toBe('0.0,11.0 90.0,11.0')
  })

  it('find the point under the pointer', () => {
    const points = [{ at: 0 }, { at: 10 }, { at: 20 }]
    expect(nearestPoint(points, 14)).toEqual({ at: 10 })
    const none: readonly { readonly at: number }[] = []
    expect(nearestPoint(none, 14)).toBeUndefined()
  })
})

const day = (events: Readonly<Record<string, number>>, others = 0) => ({
  day: '2026-11-25',
  new_people: 0,
  events,
  others,
})

describe('events by day', () => {
  it('are the sum of all names', () => {
    expect(eventsOf(day({ buy: 2, login: 3 }, 4))).toBe(9)
    expect(eventsOf(undefined)).toBe(0)
  })

  it('have the most frequent names first, and all other events in the last series', () => {
    const days = [day({ a: 1, b: 5, c: 2 }, 7), day({ b: 1 })]
    expect(byName(days, 2)).toEqual([
      { name: 'b', values: [5, 1] },
      { name: 'others', values: [10, 0] },
    ])
    expect(byName([day({ a: 1, b: 5 })], 2).map(({ name }) => name)).toEqual(['b', 'a'])
  })
})

describe('the health of the service', () => {
  const good: ServiceStatus = {
    ...{ version: '1', store_kind: 'sqlite', store: 'ready', reads: 'ready', head: '9' },
    ...{ position: '9', lag_positions: 0, log_time: null, segments: null },
  }

  it('is good when everything is up to date, and names the worst otherwise', () => {
    expect(healthOf(good).tone).toBe('good')
    expect(healthOf({ ...good, lag_positions: 5_000 })).toEqual({
      tone: 'warn',
      words: 'Reads are 5\u202f000 positions behind',
    })
    expect(healthOf({ ...good, reads: 'stalled', store: 'store_unavailable' })).toEqual({
      tone: 'bad',
      words: 'Writes fail: the store cannot be reached',
    })
    const segments = { unpublished: 0, unpublished_since: null, diverged: 1 }
    expect(healthOf({ ...good, segments }).tone).toBe('bad')
  })
})

describe('the answers of the page', () => {
  beforeEach(() => {
    jest.useFakeTimers()
  })
  afterEach(() => {
    jest.useRealTimers()
  })
  const nothing = () => undefined
  const seen = () => false
  const settled = () => jest.advanceTimersByTimeAsync(0)

  it('are requested once for all who show them, and again after a while', async () => {
    let asked = 0
    const ask = () => Promise.resolve((asked += 1))
    const answers = new Answers(nothing, seen)
    answers.watch('a', ask, 2_000, nothing)
    answers.watch('a', ask, 2_000, () => 1)
    await settled()
    expect([asked, answers.read('a').value]).toEqual([1, 1])
    await jest.advanceTimersByTimeAsync(2_000)
    expect(asked).toBe(2)
  })

  it('are requested as often as the most impatient one wants who shows them', async () => {
    let asked = 0
    const ask = () => Promise.resolve((asked += 1))
    const answers = new Answers(nothing, seen)
    answers.watch('a', ask, 0, nothing)
    await settled()
    answers.watch('a', ask, 15_000, () => 1)
    answers.watch('a', ask, 2_000, () => 2)
    await jest.advanceTimersByTimeAsync(2_000)
    expect(asked).toBe(2)
    await jest.advanceTimersByTimeAsync(2_000)
    expect(asked).toBe(3)
  })

  it('are requested at once for a view that wants them more often than their age', async () => {
    let asked = 0
    const ask = () => Promise.resolve((asked += 1))
    const answers = new Answers(nothing, seen)
    answers.watch('a', ask, 15_000, nothing)
    await jest.advanceTimersByTimeAsync(2_000)
    answers.watch('a', ask, 2_000, () => 1)
    await settled()
    expect([asked, answers.read('a').at]).toEqual([2, Date.now()])
  })

  it('are not requested again after a reply that says that the question is wrong', async () => {
    let asked = 0
    const answers = new Answers(nothing, seen)
    const statuses = [404, 422]
    const ask = () => {
      const status = statuses[asked]
      asked += 1
      const code = 'validation_failed'
      return Promise.reject(new DossierError({ code, message: '', status, stored: 'no' }))
    }
    answers.watch('a', ask, 2_000, nothing)
    await jest.advanceTimersByTimeAsync(60_000)
    expect(asked).toBe(2)
  })

  it('are not requested while the page is hidden, nor after the last one left', async () => {
    let [asked, isHidden] = [0, true]
    const answers = new Answers(nothing, () => isHidden)
    const leave = answers.watch('a', () => Promise.resolve((asked += 1)), 2_000, nothing)
    await settled()
    await jest.advanceTimersByTimeAsync(10_000)
    expect(asked).toBe(1)
    isHidden = false
    leave()
    await jest.advanceTimersByTimeAsync(10_000)
    expect(asked).toBe(1)
  })

  it('stay after a failure, and are requested again when the failure may pass', async () => {
    const error = new DossierError({ code: 'overloaded', message: '', status: 503, stored: 'no' })
    const replies = [() => Promise.resolve('first'), () => Promise.reject(error)]
    const answers = new Answers(nothing, seen)
    const ask = () => (replies.shift() ?? (() => Promise.resolve('last')))()
    answers.watch('a', ask, 1_000, nothing)
    await settled()
    await jest.advanceTimersByTimeAsync(1_000)
    expect(answers.read('a')).toMatchObject({ value: 'first', error })
    await jest.advanceTimersByTimeAsync(2_000)
    expect(answers.read('a')).toMatchObject({ value: 'last', error: undefined })
  })

  it('of the last seconds are shown again at once, and older ones are not', async () => {
    const answers = new Answers(nothing, seen)
    const ask = () => Promise.resolve('known')
    answers.watch('a', ask, 0, nothing)()
    const leave = answers.watch('a', ask, 0, nothing)
    await settled()
    leave()
    const never = () => new Promise(nothing)
    answers.watch('a', never, 0, nothing)()
    expect(answers.read('a').value).toBe('known')
    await jest.advanceTimersByTimeAsync(31_000)
    answers.watch('a', never, 0, nothing)
    expect(answers.read('a').value).toBeUndefined()
  })

  it('that are large are not kept for later', async () => {
    const answers = new Answers(nothing, seen)
    const leave = answers.watch('a', () => Promise.resolve('x'.repeat(200_000)), 0, nothing)
    await settled()
    leave()
    expect(answers.read('a').value).toBeUndefined()
  })

  it('are all requested again after a write', async () => {
    let asked = 0
    const answers = new Answers(nothing, seen)
    answers.watch('a', () => Promise.resolve((asked += 1)), 0, nothing)
    answers.watch('b', () => Promise.resolve((asked += 1)), 0, nothing)
    await settled()
    answers.refresh()
    await settled()
    expect(asked).toBe(4)
  })

  it('of a key that was revoked end the session', async () => {
    let ended = 0
    const answers = new Answers(() => (ended += 1), seen)
    const error = new DossierError({
      code: 'unauthenticated',
      message: '',
      status: 401,
      stored: 'no',
    })
    answers.watch('a', () => Promise.reject(error), 0, nothing)
    await settled()
    expect(ended).toBe(1)
  })
})
