import fc from 'fast-check'
import type {
  Count,
  CountRule,
  Flat,
  Leaf,
  PropertyRule,
  Rel,
  Rule,
  Scalar,
  When,
  Where,
  Which,
} from './rule-grammar.js'

/** The instant near which all times of histories and rules are. */
export const beginning = Date.UTC(2026, 0, 5, 9)

/** Few names, so that rules and histories often use the same ones. */
export const eventNames = ['buy', 'buy again', 'login', 'toString'] as const
export const propertyNames = ['plan', 'n', 'when', 'tags', 'eq', 'constructor', 'a/b~c'] as const
export const texts = ['free', 'paid', 'paid twice', '3', ''] as const
export const numbers = [0, 1, 2, 3, 2.5, -1] as const
export const durations = ['1m', '2m', '5m', '1h', '2h', '1d', '7d', '1w'] as const

/** Times in properties and rules, in both forms, with and without an offset of zero. */
export const times = [
  '2026-01-04',
  '2026-01-05',
  '2026-01-06',
  '2026-01-12',
  '2026-01-05T09:00:00Z',
  '2026-01-05T10:01:00+01:00',
  '2026-01-05T10:00:00.000Z',
  '2026-01-06T09:00:00.0019Z',
] as const

export const notTimes = [
  '2026-02-30',
  '2026-01-05T09:00:00',
  '2026-01-05 09:00:00Z',
  'now',
] as const

export const scalars: fc.Arbitrary<Scalar> = fc.constantFrom<Scalar[]>(
  ...texts,
  ...numbers,
  ...times.slice(0, 2),
  true,
  false,
  null,
)

const usualPointers = fc.constantFrom('/plan', '/n', '/n', '/when')
const oddPointers = fc.constantFrom(
  '/tags',
  '/tags/0',
  '/tags/length',
  '/eq',
  '/eq/plan',
  '/constructor',
  '/constructor/name',
  '/toString',
  '/__proto__',
  '/__proto__/constructor',
  '/a~1b~0c',
  '/',
)

const pointers = fc.oneof(
  { weight: 3, arbitrary: usualPointers },
  { weight: 1, arbitrary: oddPointers },
)

const number = fc.constantFrom(...numbers)

const test: fc.Arbitrary<Flat> = fc.oneof(
  scalars.map((eq) => ({ eq })),
  fc.array(scalars, { minLength: 1, maxLength: 4 }).map((several) => ({ in: several })),
  number.map((gt) => ({ gt })),
  number.map((gte) => ({ gte })),
  number.map((lt) => ({ lt })),
  number.map((lte) => ({ lte })),
  fc.constantFrom('f', 'paid', '2026-01').map((starts_with) => ({ starts_with })),
  fc.constantFrom('ai', 'e', '-01-').map((contains) => ({ contains })),
  scalars.map((includes) => ({ includes })),
  fc.boolean().map((exists) => ({ exists })),
)

const both = ([left, right]: readonly [Flat, Flat]): Flat => ({ ...left, ...right })
const negationOf = (not: Flat): Flat => ({ not })

const negated = fc.oneof(test, fc.tuple(test, test).map(both)).map(negationOf)

/** Tests with one or two words of every kind, and `not` nested up to two levels. */
export const flat: fc.Arbitrary<Flat> = fc.oneof(
  { weight: 6, arbitrary: test },
  { weight: 2, arbitrary: fc.tuple(test, test).map(both) },
  { weight: 2, arbitrary: negated },
  { weight: 1, arbitrary: fc.tuple(test, negated).map(both) },
  { weight: 1, arbitrary: fc.tuple(test, negated).map(both).map(negationOf) },
)

type Pointed = readonly [pointer: string, Flat]

/** Tests that suit the value at the pointer. */
const suiting: fc.Arbitrary<Pointed> = fc.oneof(
  fc.tuple(
    fc.constant('/plan'),
    fc.constantFrom('free', 'paid').map((eq) => ({ eq })),
  ),
  fc.tuple(
    fc.constant('/n'),
    fc
      .tuple(fc.constantFrom('gt', 'gte', 'lt', 'lte', 'eq'), fc.nat({ max: 3 }))
      .map(([name, bound]): Flat => ({ [name]: bound })),
  ),
)

/** Tests that suit the value, their negations, and tests that do not suit it. */
const pointed: fc.Arbitrary<Pointed> = fc.oneof(
  { weight: 4, arbitrary: suiting },
  { weight: 1, arbitrary: suiting.map(([pointer, test]): Pointed => [pointer, { not: test }]) },
  { weight: 2, arbitrary: fc.tuple(pointers, flat) },
)

const duration = fc.constantFrom(...durations)
const time = fc.constantFrom(...times)

const when: fc.Arbitrary<When> = fc.oneof(
  time,
  duration.map((ago) => ({ ago })),
  duration.map((ahead) => ({ ahead })),
)

const rel: fc.Arbitrary<Rel> = fc.oneof(
  when.map((before) => ({ before })),
  when.map((after) => ({ after })),
)

const where: fc.Arbitrary<Where> = fc
  .oneof(
    { weight: 3, arbitrary: fc.tuple(pointed) },
    { weight: 1, arbitrary: fc.tuple(pointed, pointed) },
  )
  .map((clauses) => Object.fromEntries(clauses))

const which: fc.Arbitrary<Which> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('buy', 'buy', 'buy', 'buy', ...eventNames) },
  { weight: 1, arbitrary: fc.constantFrom('buy', 'to').map((starts_with) => ({ starts_with })) },
)

const few = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom(5, 100) },
)
const count: fc.Arbitrary<Count> = fc.oneof(
  few.map((gte) => ({ gte })),
  few.map((lte) => ({ lte })),
  few.map((eq) => ({ eq })),
)

const instants: fc.Arbitrary<Pick<CountRule, 'within' | 'after' | 'before'>> = fc.oneof(
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 5, arbitrary: duration.map((within) => ({ within })) },
  {
    weight: 2,
    arbitrary: fc.record(
      { after: time, before: time },
      { requiredKeys: [], noNullPrototype: true },
    ),
  },
)

const counted: fc.Arbitrary<CountRule> = fc
  .tuple(
    which,
    fc.option(where, { nil: undefined, freq: 2 }),
    instants,
    fc.option(count, { nil: undefined, freq: 2 }),
  )
  .map(([event, clauses, span, asked]) => ({
    event,
    ...(clauses === undefined ? {} : { where: clauses }),
    ...span,
    ...(asked === undefined ? {} : { count: asked }),
  }))

const last: fc.Arbitrary<Leaf> = fc
  .tuple(which, fc.option(where, { nil: undefined, freq: 2 }), where)
  .map(([event, clauses, tested]) => ({
    event,
    ...(clauses === undefined ? {} : { where: clauses }),
    last: tested,
  }))

const property: fc.Arbitrary<PropertyRule> = fc.oneof(
  pointed.map(([name, is]) => ({ property: name, is })),
  pointed.map(([name, is]) => ({ property: name, is })),
  fc.tuple(pointers, rel).map(([name, is]) => ({ property: name, is })),
  fc.tuple(fc.constant('/when'), rel).map(([name, is]) => ({ property: name, is })),
  fc.tuple(pointed, duration).map(([[name, is], held]) => ({ property: name, is, for: held })),
)

const bucket: fc.Arbitrary<Leaf> = fc.oneof(
  fc.nat({ max: 100 }).map((below) => ({ bucket: { below } })),
  fc
    .tuple(fc.constantFrom('', 'a', 'π'), fc.nat({ max: 100 }))
    .map(([salt, below]) => ({ bucket: { salt, below } })),
)

/** Rules of at most this depth (the root has depth 1) that may refer to these segments. */
function rulesOf(named: readonly string[], depth: number): fc.Arbitrary<Rule> {
  const leaf: fc.Arbitrary<Rule> = fc.oneof(
    { weight: 10, arbitrary: counted },
    { weight: 5, arbitrary: property },
    { weight: 2, arbitrary: last },
    { weight: 1, arbitrary: rel.map((created) => ({ created })) },
    { weight: 1, arbitrary: bucket },
    { weight: 1, arbitrary: fc.constant({ everyone: true } as const) },
    ...(named.length === 0
      ? []
      : [{ weight: 3, arbitrary: fc.constantFrom(...named).map((segment) => ({ segment })) }]),
  )
  if (depth === 1) return leaf
  const part = rulesOf(named, depth - 1)
  const parts = fc.array(part, { minLength: 1, maxLength: 3 })
  return fc.oneof(
    { weight: 6, arbitrary: leaf },
    { weight: 2, arbitrary: parts.map((all) => ({ all })) },
    { weight: 2, arbitrary: parts.map((any) => ({ any })) },
    { weight: 2, arbitrary: part.map((not) => ({ not })) },
  )
}

/** Rules with at most 4 levels and 40 rule objects. They do not test the limits of the grammar. */
export function randomRules(named: readonly string[]): fc.Arbitrary<Rule> {
  return rulesOf(named, 4)
}
