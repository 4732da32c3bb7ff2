import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import type { HistoryEntry, ListedEvent } from '../../src/client/dossier.js'
import { DossierError } from '../../src/client/dossier.js'
import { areAllPlaced, faultsAt } from '../../src/console/by-hand/faults.js'
import { listQuery } from '../../src/console/people/list-query.js'
import { changesKnown, justAfter, knownPage, pastIn } from '../../src/console/person/past.js'
import { typedNames, typedProperties, typedTime } from '../../src/console/by-hand/typed-values.js'
import { marksAtMost, marksOf, namesOf, stepAt, stopsOf } from '../../src/console/person/marks.js'
import { propertyHistory } from '../../src/console/person/property-history.js'

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

describe('The timeline of a person', () => {
  it('has a mark at each fact from its first instant to its last', () => {
    const marks = marksOf([event(50), event(100)], [change(0)])
    expect(marks.map(({ factId, x }) => [factId, x])).toEqual([
      ['c-0', 0],
      ['e-50', 0.5],
      ['e-100', 1],
    ])
  })

  it('shows late facts off the line, further away the later they were recorded', () => {
    const year = 365 * 86_400
    const [onTime, late, later] = marksOf([event(0), event(1, 90_000), event(2, year)], [])
    expect(onTime?.off).toBe(0)
    expect(late?.off).toBeGreaterThan(0)
    expect(later?.off).toBeGreaterThan(late?.off ?? 1)
  })

  it('stays within its bounds for all facts', () => {
    const times = fc.array(fc.tuple(fc.nat(1e9), fc.nat(1e9)), { maxLength: 30 })
    fc.assert(
      fc.property(times, (pairs) => {
        for (const { x, off } of marksOf(
          pairs.map(([one, other]) => event(one, other)),
          [],
        )) {
          expect(x).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(1)
          expect(off).toBeGreaterThanOrEqual(0)
          expect(off).toBeLessThanOrEqual(1)
        }
      }),
    )
  })

  it('keeps the newest facts when there are too many', () => {
    const marks = marksOf(
      Array.from({ length: marksAtMost + 10 }, (_, at) => event(at)),
      [],
    )
    expect(marks).toHaveLength(marksAtMost)
    expect(marks[0]?.factId).toBe('e-10')
  })
})

describe('The slider of a person', () => {
  const steps = stopsOf(marksOf([event(10), event(20), event(20)], [change(30)]))

  it('stops once at each instant at which something happened', () => {
    expect(steps).toEqual([second(10), second(20), second(30)])
  })

  it('stands at the last step up to the requested time, and after all steps for now', () => {
    expect(stepAt(steps, undefined)).toBe(3)
    expect(stepAt(steps, second(20))).toBe(1)
    expect(stepAt(steps, second(29))).toBe(1)
    expect(stepAt(steps, second(31))).toBe(2)
    expect(stepAt(steps, second(1))).toBe(0)
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
  const history = propertyHistory(entries)
  expect([...history.keys()]).toEqual(['plan', 'n', 'toString'])
  expect(history.get('plan')?.map(({ value }) => value)).toEqual([undefined, 'paid', 'free'])
  expect(history.get('plan')?.[0]?.requestId).toBe('r-3')
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
  })

  it('is a list of names, one per line, with any characters', () => {
    expect(typedNames('plan\na, b\n\n')).toEqual(['plan', 'a, b'])
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

it('an address selects people by prefix, by a whole property, or all people', () => {
  const asked = (text: string) => listQuery(new URLSearchParams(text))
  expect(asked('starts_with=a%25&property=/email&is=x')).toEqual({ starts_with: 'a%' })
  expect(asked('starts_with=&property=/email&is=')).toEqual({ property: '/email', is: '' })
  expect(asked('property=/email')).toEqual({})
})

describe('The past of a person', () => {
  it('is read from the address, and absent without parameters', () => {
    expect(pastIn(new URLSearchParams('as_of=2026-01-01&known_at='))).toEqual({
      as_of: '2026-01-01',
    })
  })

  it('keeps the changes that took effect by then', () => {
    const past = { as_of: second(10), known_at: second(5) }
    expect(changesKnown([change(6), change(5)], past)).toEqual([change(5)])
    expect(changesKnown([change(6)], {})).toEqual([change(6)])
  })

  it('fills a page with known events, from as many pages of the service as necessary', async () => {
    const [known, unknown] = [event(1, 5), event(1, 6)]
    const pages = [[unknown, unknown], [unknown, known], [known], [known]]
    const asked: (string | undefined)[] = []
    const events = {
      page: (cursor?: string) => {
        asked.push(cursor)
        const at = Number(cursor ?? 0)
        return Promise.resolve({ items: pages[at] ?? [], next_cursor: String(at + 1) })
      },
    }
    const past = { known_at: second(5) }
    expect(await knownPage(events, past, undefined)).toEqual({
      items: [known, known],
      next_cursor: '3',
    })
    expect(asked).toEqual([undefined, '1', '2'])
    expect(await knownPage(events, {}, '0')).toEqual({ items: pages[0], next_cursor: '1' })
    const asWritten = await knownPage(events, { known_at: second(0) }, undefined)
    expect(asWritten).toEqual({ items: [], next_cursor: '20' })
  })

  it('ends just after its instant, and passes an invalid time to the service', () => {
    expect(justAfter(second(1))).toBe('2026-01-01T00:00:01.001Z')
    expect(justAfter('yesterday')).toBe('yesterday')
  })
})
