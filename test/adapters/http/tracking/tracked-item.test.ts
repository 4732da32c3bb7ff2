import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { parsedTracked } from '../../../../src/adapters/http/tracking/read-body.js'
import { atOnce } from '../../../../src/domain/in-pieces.js'
import { contextPaths } from '../../../../src/adapters/http/tracking/picked-context.js'
import {
  keyOfMessage,
  trackedItem,
  type TrackedRequest,
} from '../../../../src/adapters/http/tracking/tracked-item.js'
import { trackedTypes } from '../../../../src/adapters/http/ports/observers.js'
import type { Json } from '../../../../src/domain/json.js'
import { quickOrThorough } from '../../../support/thoroughness.js'

const request: TrackedRequest = {
  receipt: new Date('2026-11-20T09:30:00.000Z'),
  sentAt: undefined,
  context: undefined,
  isRetry: false,
  mayHaveProto: true,
  mayBeLarge: true,
  contextPaths: contextPaths(['page', 'library.name']),
}

const parsed = (text: string) => atOnce(parsedTracked(Buffer.from(text))).body
const read = (item: Json, around: Partial<TrackedRequest> = {}) =>
  trackedItem(item, undefined, { ...request, ...around })
const track = (members: Record<string, Json>) => ({ type: 'track', event: 'e', ...members })

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, n) => [`${name}${String(n)}`, n] as const)

/** Returns each fault as `path code`. */
function faults(item: Json): readonly string[] {
  const read = trackedItem(item, undefined, request)
  return 'details' in read ? read.details.map(({ path, code }) => `${path} ${code}`) : []
}

describe('the stored writes of an item', () => {
  test.each<[string, Json, readonly object[]]>([
    ['identify', { type: 'identify', userId: 'u', traits: { a: null } }, [{ set: { a: null } }]],
    ['identify without traits', { type: 'identify', userId: 'u' }, [{ set: {} }]],
    ['identify, traits null', { type: 'identify', userId: 'u', traits: null }, [{ set: {} }]],
    ['identify, traits []', { type: 'identify', userId: 'u', traits: [] }, [{ set: {} }]],
    [
      'identify, traits in its context',
      { type: 'identify', userId: 'u', context: { traits: { a: null, b: 1 } } },
      [{ set: { a: null, b: 1 } }],
    ],
    [
      'identify, traits at both levels',
      { type: 'identify', userId: 'u', traits: { a: null }, context: { traits: { a: 1, b: [] } } },
      [{ set: { a: null, b: [] } }],
    ],
    [
      'identify, traits [] at both levels',
      { type: 'identify', userId: 'u', traits: [], context: { traits: [] } },
      [{ set: {} }],
    ],
    [
      'track, whose context has the traits of its user',
      track({ userId: 'u', context: { traits: { a: 1 } } }),
      [{ name: 'e', properties: {} }],
    ],
    [
      'track, properties []',
      track({ userId: 'u', properties: [] }),
      [{ name: 'e', properties: {} }],
    ],
    [
      'group, whose context has the traits of its user',
      { type: 'group', userId: 'u', groupId: 'g', traits: { x: 1 }, context: { traits: { a: 1 } } },
      [
        { set: { group_id: 'g' } },
        { name: 'group', properties: { groupId: 'g', traits: { x: 1 } } },
      ],
    ],
    [
      'group, traits in its context alone',
      { type: 'group', userId: 'u', groupId: 'g', context: { traits: { x: 1 } } },
      [
        { set: { group_id: 'g' } },
        { name: 'group', properties: { groupId: 'g', traits: { x: 1 } } },
      ],
    ],
    [
      'track',
      track({ userId: 'u', event: ' Bought ', properties: { a: [1] } }),
      [{ name: 'Bought', properties: { a: [1] } }],
    ],
    ['track without properties', track({ userId: 'u' }), [{ name: 'e', properties: {} }]],
    [
      'page',
      { type: 'page', userId: 'u', name: 'Home', category: 'c', properties: { name: 'mine' } },
      [{ name: 'page', properties: { name: 'mine', category: 'c' } }],
    ],
    [
      'screen',
      { type: 'screen', userId: 'u', name: 'Home', category: null },
      [{ name: 'screen', properties: { name: 'Home' } }],
    ],
    [
      'group',
      { type: 'group', userId: 'u', groupId: 7, traits: { x: 1 } },
      [
        { set: { group_id: '7' } },
        { name: 'group', properties: { groupId: '7', traits: { x: 1 } } },
      ],
    ],
    [
      'alias',
      { type: 'alias', userId: 'u', previousId: 'old' },
      [{ name: 'alias', properties: { previousId: 'old' } }],
    ],
  ])('of %s', (_what, item, writes) => {
    expect(read(item)).toMatchObject({ writes })
  })

  test.each<[string, Record<string, Json>, string]>([
    ['a user', { userId: 'u' }, 'u'],
    ['a number', { userId: 42 }, '42'],
    ['a fraction', { userId: 0.5 }, '0.5'],
    ['only an anonymous id', { anonymousId: 'a' }, 'anon:a'],
    ['an empty user', { userId: '', anonymousId: 'a' }, 'anon:a'],
    ['no user', { userId: null, anonymousId: 7 }, 'anon:7'],
    ['both', { userId: 'u', anonymousId: 'a' }, 'u'],
  ])('an item with %s belongs to the right entity', (_what, ids, entity) => {
    expect(read({ type: 'track', event: 'e', ...ids })).toMatchObject({ entity })
  })

  test.each(['identify', 'group'])('%s stores a change with its time', (type) => {
    const item = { type, userId: 'u', groupId: 'g', timestamp: '2026-11-19T09:00:00Z' }
    expect(read(item)).toMatchObject({ changedAt: new Date('2026-11-19T09:00:00.000Z') })
  })

  test('identify stores a change without a time, and counts it, if the time is invalid', () => {
    const item = { type: 'identify', userId: 'u', timestamp: 'x', sentAt: {} }
    expect(read(item)).toMatchObject({ changedAt: undefined, timeReplacedFor: 'not_a_time' })
  })

  test.each(['timestamp', 'originalTimestamp'])(
    'an event with an invalid %s is stored at its receipt, with the invalid text',
    (member) => {
      expect(read(track({ userId: 'u', [member]: 'yesterday' }))).toMatchObject({
        occurredAt: request.receipt,
        timeReplacedFor: 'not_a_time',
        writes: [{ properties: { context: { timestamp: 'yesterday' } }, added: ['context'] }],
      })
    },
  )

  test('the traits of the batch’s context are used for an identify call without traits', () => {
    const context = { traits: { a: 1 } }
    expect(read({ type: 'identify', userId: 'u' }, { context })).toMatchObject({
      writes: [{ set: { a: 1 } }],
    })
  })

  test('the listed context becomes a property, where the item’s context overrides the batch’s, plus the anonymous id', () => {
    const context = { page: { url: '/' }, library: { name: 'x', version: '1' }, ip: '1.2.3.4' }
    const item = track({ userId: 'u', anonymousId: 'a', context })
    const below = { page: { url: '/batch' }, library: { name: 'y' } }
    const kept = { page: { url: '/' }, library: { name: 'x' }, anonymousId: 'a' }
    expect(read(item, { context: below })).toMatchObject({
      writes: [{ properties: { context: kept }, added: ['context'] }],
    })
    expect(read(track({ userId: 'u' }), { context: below })).toMatchObject({
      writes: [{ properties: { context: { page: { url: '/batch' }, library: { name: 'y' } } } }],
    })
  })

  test('an event’s own property `context` is kept, and nothing is added without room', () => {
    const own = track({ userId: 'u', properties: { context: 'mine' }, context: { page: 1 } })
    expect(read(own)).toMatchObject({
      writes: [{ properties: { context: 'mine' }, added: [] }],
    })
    const properties = Object.fromEntries(
      Array.from({ length: 512 }, (_, n) => [`p${String(n)}`, n]),
    )
    expect(read(track({ userId: 'u', properties, context: { page: 1 } }))).toMatchObject({
      writes: [{ properties }],
    })
  })

  test.each<[string, Record<string, Json>]>([
    ['the header', {}],
    ['the item', { _metadata: { retryCount: 1 } }],
  ])('a repeat, as %s says, may already be stored under the anonymous entity', (_what, more) => {
    const item = track({ userId: 'u', anonymousId: 'a', ...more })
    const isRetry = Object.keys(more).length === 0
    expect(read(item, { isRetry })).toMatchObject({ entity: 'u', formerEntity: 'anon:a' })
    expect(read(track({ userId: 'u', anonymousId: 'a' }))).toMatchObject({
      formerEntity: undefined,
    })
  })

  test('a long message id is hashed, and never equals an idempotency key of the API', () => {
    expect(keyOfMessage('m')).toBe('message m')
    expect(keyOfMessage('m'.repeat(255))).toBe(`message ${'m'.repeat(255)}`)
    expect(keyOfMessage('m'.repeat(256))).toMatch(/^message [0-9a-f]{64}$/)
    expect(keyOfMessage(undefined)).toBeUndefined()
  })
})

describe('an item that can never be stored', () => {
  test.each<[string, Json, readonly string[]]>([
    ['text', 'x', [' wrong_type']],
    ['a list', [], [' wrong_type']],
    ['null', null, [' wrong_type']],
    ['no type', { userId: 'u' }, ['/type required']],
    ['an unknown type', { type: 'merge', userId: 'u' }, ['/type unknown_operation']],
    ['nobody', track({}), ['/userId required']],
    ['an id that is not text', track({ userId: {} }), ['/userId wrong_type']],
    ['an id that is true', track({ userId: true }), ['/userId wrong_type']],
    ['an id that is not exact', track({ userId: 2 ** 53 }), ['/userId number_out_of_range']],
    ['an id with half a surrogate pair', track({ userId: '\ud800' }), ['/userId ill_formed']],
    ['an id with white space', track({ userId: ' u' }), ['/userId bad_characters']],
    ['a long id', track({ userId: 'u'.repeat(256) }), ['/userId too_long']],
    ['an id with our reserved prefix', track({ userId: 'anon:a' }), ['/userId bad_characters']],
    ['a long anonymous id', track({ anonymousId: 'a'.repeat(251) }), ['/anonymousId too_long']],
    ['a message id', track({ userId: 'u', messageId: [] }), ['/messageId wrong_type']],
    [
      'text with half a surrogate pair',
      track({ userId: 'u', messageId: '\ud800' }),
      ['/messageId ill_formed'],
    ],
    ['no event', { type: 'track', userId: 'u' }, ['/event required']],
    ['an event of white space', track({ userId: 'u', event: ' ' }), ['/event empty']],
    ['an event that is a number', track({ userId: 'u', event: 1 }), ['/event wrong_type']],
    ['no group', { type: 'group', userId: 'u' }, ['/groupId required']],
    ['an empty group', { type: 'group', userId: 'u', groupId: '' }, ['/groupId required']],
    ['no former id', { type: 'alias', userId: 'u' }, ['/previousId required']],
    ['properties', track({ userId: 'u', properties: [1] }), ['/properties wrong_type']],
    ['traits', { type: 'identify', userId: 'u', traits: 'x' }, ['/traits wrong_type']],
    [
      'a number',
      track({ userId: 'u', properties: { a: { b: 2 ** 53 } } }),
      ['/properties/a/b number_out_of_range'],
    ],
    [
      'group traits',
      { type: 'group', userId: 'u', groupId: 'g', traits: { a: '\ud800' } },
      ['/traits/a ill_formed'],
    ],
    [
      'a context',
      track({ userId: 'u', context: { page: { title: '\ud83d' } } }),
      ['/context/page/title ill_formed'],
    ],
    [
      'traits of the context',
      { type: 'identify', userId: 'u', traits: { b: 1 }, context: { traits: 'x' } },
      ['/context/traits wrong_type'],
    ],
    [
      'traits at both levels, each fault with its own path',
      {
        type: 'identify',
        userId: 'u',
        traits: { a: 2 ** 53, b: 1 },
        context: { traits: { b: 2 ** 53, c: 2 ** 53 } },
      },
      ['/context/traits/c number_out_of_range', '/traits/a number_out_of_range'],
    ],
    [
      'too many traits at both levels',
      {
        type: 'identify',
        userId: 'u',
        traits: Object.fromEntries(numbered('a', 300)),
        context: { traits: Object.fromEntries(numbered('b', 300)) },
      },
      ['/traits too_many'],
    ],
    [
      'all faults together',
      track({ userId: 'anon:', event: '', timestamp: 'x', properties: 1 }),
      ['/userId bad_characters', '/event empty', '/properties wrong_type'],
    ],
  ])('%s', (_what, item, expected) => {
    expect(faults(item)).toEqual(expected)
  })

  test('a member "__proto__" is refused at every depth', () => {
    const item = parsed('{"type":"track","userId":"u","event":"e","x":[{"__proto__":1}]}')
    expect(faults(item)).toEqual([' bad_characters'])
  })
})

test('parsing an item never throws, whatever was sent', () => {
  const members = ['type', 'userId', 'anonymousId', 'messageId', 'event', 'name', 'groupId'].concat(
    ['previousId', 'traits', 'properties', 'context', 'timestamp', 'sentAt', '_metadata', 'page'],
  )
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom<Json>(...trackedTypes, 'anon:', '1970-01-01', 1e300, 2 ** 53, '\ud800', ''),
  )
  const items = fc.dictionary(fc.constantFrom(...members), value)
  fc.assert(
    fc.property(
      fc.oneof(items, fc.jsonValue()),
      fc.option(value),
      fc.boolean(),
      (sent, context, isRetry) => {
        const item = parsed(JSON.stringify(sent))
        const around = parsed(JSON.stringify(context))
        const found = read(item, { context: around, isRetry })
        if ('details' in found) expect(found.details.length).toBeGreaterThan(0)
        else expect(found.entity).not.toBe('')
      },
    ),
    { numRuns: quickOrThorough({ quick: 40, thorough: 500 }) },
  )
})

test('an item with the deepest possible nesting is refused and does not crash', () => {
  // A recursive parser would fail at 10,000 levels.
  const depth = quickOrThorough({ quick: 20_000, thorough: 500_000 })
  const deep = '['.repeat(depth) + ']'.repeat(depth)
  for (const member of ['_metadata', 'properties', 'userId', 'context', 'timestamp', 'x']) {
    const item = parsed(`{"type":"track","event":"e","userId":"u","${member}":${deep}}`)
    expect(() => read(item)).not.toThrow()
  }
})
