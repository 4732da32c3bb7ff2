import fc from 'fast-check'
import type { Endpoint } from './body-verdict.js'
import {
  anyText,
  goodNames,
  goodProperties,
  keyText,
  oddNames,
  oddProperties,
  protoProperties,
  spelled,
} from './json-texts.js'
import { goodTimes, oddTimes } from './time-texts.js'

/** A generated body. `write` gets the entity's id later, when the scenario is assembled. */
export interface Body {
  readonly kind: string
  readonly write: (id: string, bodyLimit: number) => Buffer
}

const inOrder = fc.constantFrom(false, true)
const howIds = fc.constantFrom('plain', 'plain', 'escaped')

export function bodies(endpoint: Endpoint): fc.Arbitrary<Body> {
  const right = fields(endpoint, {
    properties: fc.option(goodProperties),
    time: fc.option(goodTimes, { freq: 2 }),
  })
  return fc.oneof(
    { weight: 12, arbitrary: named('a right body', right) },
    {
      weight: 3,
      arbitrary: named('odd properties', fields(endpoint, { properties: oddProperties })),
    },
    {
      weight: 3,
      arbitrary: named('an odd time', fields(endpoint, { time: oddTimes })),
    },
    { weight: 2, arbitrary: named('__proto__', fields(endpoint, { properties: protoProperties })) },
    { weight: 3, arbitrary: named('an odd name', fields(endpoint, { id: oddNames })) },
    { weight: 2, arbitrary: named('unknown fields', unknown(endpoint)) },
    { weight: 1, arbitrary: named('a doubled field', doubled(endpoint)) },
    { weight: 3, arbitrary: tampered(right) },
    {
      weight: 1,
      arbitrary: named(
        'any JSON',
        anyText.map((text) => () => text),
      ),
    },
    { weight: 1, arbitrary: named('deep nesting', deep) },
    { weight: 1, arbitrary: sized(right) },
    { weight: 1, arbitrary: fc.constant({ kind: 'no body', write: () => Buffer.alloc(0) }) },
  )
}

/** Generates objects with the fields of the endpoint's body, valid or not. */
export function objects(endpoint: Endpoint): fc.Arbitrary<Writer> {
  return fc.oneof(
    { weight: 12, arbitrary: fields(endpoint, { properties: fc.option(goodProperties) }) },
    { weight: 1, arbitrary: fields(endpoint, { properties: oddProperties }) },
    { weight: 1, arbitrary: fields(endpoint, { id: oddNames }) },
    { weight: 1, arbitrary: unknown(endpoint) },
    { weight: 1, arbitrary: doubled(endpoint) },
  )
}

/** Returns JSON text about the entity with this id. */
export type Writer = (id: string) => string

function named(kind: string, writers: fc.Arbitrary<Writer>): fc.Arbitrary<Body> {
  return writers.map((write) => ({ kind, write: (id) => Buffer.from(write(id)) }))
}

interface Parts {
  /** Generates the id. Absent: the given id is used. */
  readonly id?: fc.Arbitrary<string>
  readonly properties?: fc.Arbitrary<string | null>
  /** Generates the own time of the creation or event. */
  readonly time?: fc.Arbitrary<string | null>
}

function fields(endpoint: Endpoint, parts: Parts): fc.Arbitrary<Writer> {
  const none = fc.constant(null)
  const given = [parts.id ?? none, parts.properties ?? none, parts.time ?? none] as const
  return fc
    .tuple(...given, goodNames, howIds, inOrder)
    .map(([own, properties, time, name, how, turned]) => {
      return (id) => {
        const spelledId = own ?? spelled(id, how)
        const members =
          endpoint === '/entities'
            ? [`"external_id":${spelledId}`]
            : [`"entity_external_id":${spelledId}`, `"name":${name}`]
        if (time !== null) members.push(`"occurred_at":${time}`)
        if (properties !== null) members.push(`${spelled('properties', how)}:${properties}`)
        if (turned) members.reverse()
        return `{${members.join(',')}}`
      }
    })
}

function withMore(endpoint: Endpoint, more: fc.Arbitrary<string>): fc.Arbitrary<Writer> {
  return fc.tuple(fields(endpoint, {}), more).map(([write, member]) => (id) => {
    return `${write(id).slice(0, -1)},${member}}`
  })
}

function unknown(endpoint: Endpoint): fc.Arbitrary<Writer> {
  const known = fc.constantFrom(
    '"external_id"',
    '"externalId"',
    '"name"',
    '"__proto__"',
    '""',
    '"id"',
    `"${'u'.repeat(256)}"`,
  )
  const member = fc
    .tuple(fc.oneof(keyText, known), anyText)
    .map(([name, value]) => `${name}:${value}`)
  return withMore(
    endpoint,
    fc.array(member, { minLength: 1, maxLength: 3 }).map((all) => all.join(',')),
  )
}

function doubled(endpoint: Endpoint): fc.Arbitrary<Writer> {
  const properties = fc.oneof(goodProperties, oddProperties).map((text) => `"properties":${text}`)
  return withMore(
    endpoint,
    fc.array(properties, { minLength: 2, maxLength: 2 }).map((all) => all.join(',')),
  )
}

const deep = fc
  .tuple(
    fc.constantFrom('[', '{"a":', '[{"a":'),
    fc.integer({ min: 50, max: 20_000 }),
    fc.boolean(),
  )
  .map(([open, times, closed]): Writer => {
    const close = open === '[' ? ']' : open === '[{"a":' ? '}]' : '}'
    return () =>
      `{"external_id":"a","properties":{"p":${open.repeat(times)}1${closed ? close.repeat(times) : ''}}}`
  })

const poison = fc.constantFrom(
  'ff',
  'c080',
  'eda080',
  'f4908080',
  'e282',
  '00',
  'efbbbf',
  '2c',
  '7d',
  '01',
  '2f2a',
  '27',
)

/** Generates valid bodies in which a few bytes were inserted, removed or doubled. They may still be valid. */
export function tampered(right: fc.Arbitrary<Writer>): fc.Arbitrary<Body> {
  const place = fc.double({ min: 0, max: 1, noNaN: true })
  const how = fc.constantFrom('in', 'out', 'cut', 'before', 'after')
  return fc.tuple(right, poison, place, how).map(([write, hex, share, act]) => ({
    kind: 'tampered JSON',
    write: (id) => {
      const bytes = Buffer.from(write(id))
      const more = Buffer.from(hex, 'hex')
      const at = Math.floor(share * bytes.length)
      const [left, rest] = [bytes.subarray(0, at), bytes.subarray(at)]
      if (act === 'in') return Buffer.concat([left, more, rest])
      if (act === 'out') return Buffer.concat([left, rest.subarray(1)])
      if (act === 'cut') return left
      return Buffer.concat(act === 'before' ? [more, bytes] : [bytes, more])
    },
  }))
}

/** Generates bodies near the size limit or far above it. White space or long text fills them. */
function sized(right: fc.Arbitrary<Writer>): fc.Arbitrary<Body> {
  const beyond = fc.constantFrom(-1, 0, 0, 1, 700, 800_000)
  return fc.tuple(right, beyond, fc.boolean()).map(([write, over, inText]) => ({
    kind: 'a body about the limit',
    write: (id, limit) => {
      const least = inText ? `{"external_id":"","properties":{"t":""}}` : write(id)
      const room = Math.max(0, limit + over - Buffer.byteLength(least))
      if (!inText) return Buffer.from(least + ' '.repeat(room))
      const size = Math.max(0, room - Buffer.byteLength(id))
      return Buffer.from(JSON.stringify({ external_id: id, properties: { t: 't'.repeat(size) } }))
    },
  }))
}
