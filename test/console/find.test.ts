import { describe, expect, it } from '@jest/globals'
import { Calls } from '../../src/client/calls.js'
import type { DictionaryProperty } from '../../src/client/dossier.js'
import { columnsIn, placeName, searchPlaces, withColumn } from '../../src/console/people/columns.js'
import { pointerName } from '../../src/console/parts/pointer.js'
import { listQuery } from '../../src/console/people/list-query.js'
import { lookThrough, type PlaceFound } from '../../src/console/people/look-through.js'
import { lookUp, onlyOne } from '../../src/console/people/look-up.js'
import { lookedWords } from '../../src/console/people/looked-words.js'

const entityId = '01a21aea-7420-702d-beeb-adb7ff4efbee'

/** Answers each list with the ids that its query selects. */
function listing(ids: readonly string[]): { fetch: typeof fetch; asked: string[] } {
  const asked: string[] = []
  const answer: typeof fetch = (input) => {
    const { searchParams } = new URL(input instanceof Request ? input.url : input)
    asked.push(searchParams.toString())
    const begins = searchParams.get('starts_with')
    const items = ids
      .filter((id) => begins === null || id.startsWith(begins))
      .map((id) => ({ external_id: id }))
    return Promise.resolve(Response.json({ status: 'success', data: { items, next_cursor: null } }))
  }
  return { fetch: answer, asked }
}

const clientOf = (answer: typeof fetch) =>
  new Calls({ url: 'http://127.0.0.1', key: 'k', fetch: answer })

describe('the search box', () => {
  it('names one person when an id is exactly the text, whatever else begins like it', async () => {
    const { fetch: answer } = listing(['ada', 'adam'])
    const findings = await lookUp(clientOf(answer), 'ada')
    expect(onlyOne(findings)).toBe('ada')
    expect(findings.find(({ by }) => by === 'beginning')?.ids).toEqual(['adam'])
  })

  it('names nobody when the text only begins ids', async () => {
    const { fetch: answer } = listing(['ada', 'adam'])
    expect(onlyOne(await lookUp(clientOf(answer), 'ad'))).toBeUndefined()
  })

  it('asks for an entity id only when the text has its form', async () => {
    const { fetch: answer, asked } = listing(['ada'])
    await lookUp(clientOf(answer), entityId.toUpperCase())
    await lookUp(clientOf(answer), 'ada')
    expect(asked.filter((query) => query.startsWith('entity_id='))).toEqual([
      `entity_id=${entityId}&limit=20`,
    ])
  })
})

const property = (
  pointer: string,
  count: number,
  types: DictionaryProperty['types'] = { string: count },
): DictionaryProperty => ({ pointer, count, types })

describe('the places of a search', () => {
  const dictionary = {
    complete: true,
    properties: [property('/country', 9), property('/address', 9, { object: 9 })],
    events: [
      {
        ...{ name: 'refund', count: 2, first_day: '2026-01-01', last_day: '2026-01-01' },
        properties: [property('/invoice', 2)],
      },
      {
        ...{ name: 'buy', count: 9, first_day: '2026-01-01', last_day: '2026-01-01' },
        properties: [property('/invoice', 9), property('/lines', 3, { array: 3 })],
      },
    ],
  }

  it('are the properties with plain values: of people first, then of events by frequency', () => {
    expect(searchPlaces(dictionary).map(placeName)).toEqual([
      'country',
      'buy · invoice',
      'refund · invoice',
    ])
  })

  it('have names with dots and without the escapes of pointers', () => {
    expect(pointerName('/address/zip~1code')).toBe('address.zip/code')
  })
})

/** Answers each search with its frames. */
function searching(frames: Readonly<Record<string, readonly string[]>>): typeof fetch {
  return (input) => {
    const { searchParams } = new URL(input instanceof Request ? input.url : input)
    const text = (frames[searchParams.get('property') ?? ''] ?? []).join('')
    const headers = { 'content-type': 'text/event-stream' }
    return Promise.resolve(new Response(text, { headers }))
  }
}

const frame = (event: string, data: object) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const hits = (id: string) => frame('hits', { items: [{ external_id: id }] })
const result = (complete: boolean) =>
  frame('result', { entities: 9, looked_at: 9, hits: 1, indexed: false, complete })

async function found(
  frames: Readonly<Record<string, readonly string[]>>,
  answer = searching(frames),
): Promise<readonly PlaceFound[]> {
  let last: readonly PlaceFound[] = []
  const places = ['/a', '/b'].map((pointer) => ({ property: pointer }))
  const { signal } = new AbortController()
  await lookThrough(clientOf(answer), places, 'x', signal, (now) => {
    last = now
  })
  return last
}

describe('a search of several properties', () => {
  it('collects the hits of one property after another', async () => {
    const all = await found({
      '/a': [result(true)],
      '/b': [hits('ada'), hits('bob'), result(true)],
    })
    expect(all.map(({ place, hits: its }) => [place.property, its.length])).toEqual([
      ['/a', 0],
      ['/b', 2],
    ])
    expect(lookedWords(all, false)).toBe('looked at 9 of 9 people in 2 properties')
  })

  it('waits while another search with the key runs', async () => {
    const frames = { '/a': [hits('ada'), result(true)], '/b': [result(true)] }
    const error = {
      code: 'search_under_way',
      message: 'another search runs',
      details: [],
      request_id: 'request-1',
    }
    const refusals = [error, error]
    const all = await found(frames, (...request) => {
      const refusal = refusals.pop()
      return refusal === undefined
        ? searching(frames)(...request)
        : Promise.resolve(Response.json({ status: 'error', error: refusal }, { status: 429 }))
    })
    expect(all.map(({ hits: its }) => its.length)).toEqual([1, 0])
    expect(refusals).toEqual([])
  })

  it('ends after a property whose search ended at a limit', async () => {
    const all = await found({ '/a': [result(false)], '/b': [hits('ada'), result(true)] })
    expect(all.map(({ state }) => state)).toEqual(['partly'])
    expect(lookedWords(all, false)).toContain('ended at its limit')
    const begun = { ...all[0], lookedAt: 0, entities: 0, state: 'searching' } as PlaceFound
    expect(lookedWords([begun], true)).toBe('looking in 1 property')
  })
})

describe('the columns of the people', () => {
  const known = [property('/country', 100), property('/plan', 40), property('/rare', 1)]

  it('are the frequent properties, unless the address names others', () => {
    const query = (text: string) => columnsIn(new URLSearchParams(text), known)
    expect(query('')).toEqual(['/country', '/plan'])
    expect(query('columns=/rare,/plan')).toEqual(['/rare', '/plan'])
    expect(query('columns=none')).toEqual([])
  })

  it('are put in and taken out one by one', () => {
    expect(withColumn(['/a'], '/b', true)).toBe('/a,/b')
    expect(withColumn(['/a', '/b'], '/a', false)).toBe('/b')
    expect(withColumn(['/a'], '/a', false)).toBe('none')
  })
})

it('an address selects people by prefix, by creation, or by their latest events', () => {
  const asked = (text: string) => listQuery(new URLSearchParams(text), ['/a', '/b'])
  const properties = '/a,/b'
  expect(asked('starts_with=a%25&order=created')).toEqual({
    starts_with: 'a%',
    limit: 50,
    properties,
  })
  expect(asked('order=created')).toEqual({ order: 'created', limit: 50, properties })
  expect(asked('')).toEqual({ order: 'last_event', limit: 50, properties })
  expect(asked('all=1')).toMatchObject({ order: 'last_event', limit: 1_000 })
})
