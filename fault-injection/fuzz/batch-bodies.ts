import fc from 'fast-check'
import { objects, tampered, type Body, type Writer } from './bodies.js'
import { anyText, protoProperties } from './json-texts.js'

const operations = { create_entity: '/entities', record_event: '/events' } as const

const keys = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  {
    weight: 8,
    arbitrary: fc.constantFrom('"k1"', '"k2"', '"\\u006b1"', '"~"', `"${'k'.repeat(255)}"`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('""', '" "', 'null', '1', '"é"', `"${'k'.repeat(256)}"`),
  },
)

/** Suffixes of entity ids. Items of one batch may be about one entity or about several. */
const entities = fc.constantFrom('', '', '-b', '-c')

function itemOf(op: keyof typeof operations): fc.Arbitrary<Writer> {
  return fc.tuple(objects(operations[op]), keys, entities).map(([write, key, suffix]) => (id) => {
    const head = key === undefined ? '' : `"idempotency_key":${key},`
    return `{"op":"${op}",${head}${write(id + suffix).slice(1)}`
  })
}

const oddItem: fc.Arbitrary<Writer> = fc
  .constantFrom(
    '{}',
    '{"op":1}',
    '{"op":"constructor"}',
    '{"op":null,"x":1}',
    '{"op":"","idempotency_key":""}',
  )
  .map((text) => () => text)

const item = fc.oneof(
  { weight: 5, arbitrary: itemOf('create_entity') },
  { weight: 7, arbitrary: itemOf('record_event') },
  { weight: 1, arbitrary: oddItem },
)

const right: fc.Arbitrary<Writer> = fc
  .array(item, { minLength: 1, maxLength: 8 })
  .map((writers) => (id) => `{"items":[${writers.map((write) => write(id)).join(',')}]}`)

function named(kind: string, writers: fc.Arbitrary<Writer>): fc.Arbitrary<Body> {
  return writers.map((write) => ({ kind, write: (id) => Buffer.from(write(id)) }))
}

/** Bodies that are not batches, because they are not an object with only a list of objects. */
const noBatch: fc.Arbitrary<Writer> = fc.oneof(
  anyText.map((text) => () => `{"items":${text}}`),
  fc.tuple(right, anyText).map(
    ([write, text]) =>
      (id: string) =>
        `{"more":${text},${write(id).slice(1)}`,
  ),
  fc.tuple(right, anyText).map(
    ([write, text]) =>
      (id: string) =>
        write(id).replace('[', `[${text},`),
  ),
  fc
    .constantFrom(1_000, 1_001)
    .map((many) => () => `{"items":[${Array(many).fill('{}').join(',')}]}`),
)

const proto: fc.Arbitrary<Writer> = fc.tuple(right, protoProperties).map(
  ([write, text]) =>
    (id) =>
      write(id).replace('{"op"', `{"properties":${text},"op"`),
)

export const batchBodies: fc.Arbitrary<Body> = fc.oneof(
  { weight: 40, arbitrary: named('a batch', right) },
  { weight: 4, arbitrary: named('no batch', noBatch) },
  { weight: 2, arbitrary: named('__proto__ in a batch', proto) },
  { weight: 4, arbitrary: tampered(right) },
  { weight: 1, arbitrary: fc.constant({ kind: 'no body', write: () => Buffer.alloc(0) }) },
)
