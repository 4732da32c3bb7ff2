import type { Rule } from './rule-grammar.js'

export type Members = Readonly<Record<string, unknown>>
export type Path = readonly (string | number)[]

/** The kinds of objects in a rule, by the words that they can contain. */
export type Kind = keyof typeof words

/** An object in a rule. */
export interface Site {
  readonly kind: Kind
  readonly path: Path
  readonly members: Members
}

export const flat = {
  eq: 1,
  in: [1],
  gt: 1,
  gte: 1,
  lt: 1,
  lte: 1,
  starts_with: 'a',
  contains: 'a',
  includes: 1,
  exists: true,
  not: { eq: 1 },
}
const sides = { before: '2026-01-05', after: '2026-01-05' }
const everyone = { everyone: true }

/** The words of each kind of object, with valid operands. */
const words = {
  rule: {
    all: [everyone],
    any: [everyone],
    not: everyone,
    everyone: true,
    segment: 'a',
    created: { before: '2026-01-05' },
    property: '/n',
    is: { eq: 1 },
    for: '1d',
    event: 'buy',
    where: { '/n': { eq: 1 } },
    within: '1d',
    after: '2026-01-05',
    before: '2026-01-05',
    count: { gte: 1 },
    last: { '/n': { eq: 1 } },
    bucket: { below: 1 },
  },
  test: flat,
  anyTest: { ...flat, ...sides },
  instantTest: sides,
  time: { ago: '1d', ahead: '1d' },
  count: { gte: 1, lte: 1, eq: 1 },
  name: { starts_with: 'b' },
  bucket: { salt: 'a', below: 1 },
} as const satisfies Readonly<Record<string, Members>>

export const everyWord = new Set(Object.values(words).flatMap((known) => Object.keys(known)))

export function wordsOf(kind: Kind): readonly string[] {
  return Object.keys(words[kind])
}

/** Returns a valid operand. Returns true for an unknown word. */
export function operandOf(kind: Kind, word: string): unknown {
  const known: Members = words[kind]
  return Object.hasOwn(known, word) ? known[word] : true
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns all objects in a rule, except `where` and `last`, whose members are not words. */
export function sitesIn(rule: Rule): readonly Site[] {
  return sitesOf('rule', rule, [])
}

function sitesOf(kind: Kind, value: unknown, path: Path): readonly Site[] {
  if (!isMembers(value)) return []
  const inside = Object.entries(value).flatMap(([word, operand]) =>
    partsOf(kind, word, operand, value).flatMap(([part, inner, steps]) =>
      sitesOf(part, inner, [...path, word, ...steps]),
    ),
  )
  return [{ kind, path, members: value }, ...inside]
}

type Part = readonly [kind: Kind, value: unknown, steps: Path]

function partsOf(kind: Kind, word: string, operand: unknown, beside: Members): readonly Part[] {
  if (word === 'all' || word === 'any') {
    return listOf(operand).map((part, at): Part => ['rule', part, [at]])
  }
  if (word === 'where' || word === 'last') {
    const tests = Object.entries(isMembers(operand) ? operand : {})
    return tests.map(([pointer, test]): Part => ['test', test, [pointer]])
  }
  const part = kindOf(kind, word, beside)
  return part === undefined ? [] : [[part, operand, []]]
}

function kindOf(kind: Kind, word: string, beside: Members): Kind | undefined {
  const isTest = word === 'not' ? kind !== 'rule' : word === 'is' && 'for' in beside
  return isTest ? 'test' : kinds[word]
}

/** The kind of the object that a word has as its operand. A fixed time is not an object. */
const kinds: Readonly<Record<string, Kind>> = {
  not: 'rule',
  is: 'anyTest',
  event: 'name',
  created: 'instantTest',
  before: 'time',
  after: 'time',
  count: 'count',
  bucket: 'bucket',
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the rule with the object at this path replaced. */
export function withObject(rule: unknown, [step, ...steps]: Path, object: Members): unknown {
  if (step === undefined) return object
  if (Array.isArray(rule)) {
    return rule.map((part: unknown, at) => (at === step ? withObject(part, steps, object) : part))
  }
  return mapped(isMembers(rule) ? rule : {}, ([name, value]) => [
    [name, name === step ? withObject(value, steps, object) : value],
  ])
}

export type Member = readonly [name: string, value: unknown]

export function mapped(members: Members, change: (member: Member) => readonly Member[]): Members {
  return Object.fromEntries(Object.entries(members).flatMap(change))
}
