import { isPointer } from '../../../src/domain/segments/pointer.js'
import type { Rule } from './rule-grammar.js'

type Members = Readonly<Record<string, unknown>>
type Path = readonly (string | number)[]

/** The objects that a rule is made of, by the words that may stand in them. */
type Kind = keyof typeof words

/** An object in a rule. */
export interface Site {
  readonly kind: Kind
  readonly path: Path
  readonly members: Members
}

/** What one mistake makes of a rule. */
export interface MistakenRule {
  readonly rule: unknown
  /** The object that it is in. */
  readonly site: Path
  /** That was mistaken, left out or put in. */
  readonly word: string
}

const flat = {
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
}
const sides = { before: '2026-01-05', after: '2026-01-05' }
const everyone = { everyone: true }

/** The words of each kind of object, with operands that are right. */
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

const leads = ['all', 'any', 'not', 'everyone', 'segment', 'created', 'property', 'event', 'bucket']
const beside: Readonly<Record<string, readonly string[]>> = {
  property: ['is', 'for'],
  event: ['where', 'within', 'after', 'before', 'count', 'last'],
}
const apart: readonly (readonly [string, string])[] = [
  ['last', 'within'],
  ['last', 'after'],
  ['last', 'before'],
  ['last', 'count'],
  ['within', 'after'],
  ['within', 'before'],
]

const everyWord = new Set(Object.values(words).flatMap((known) => Object.keys(known)))
/** Words of other products' rules. */
const foreign = ['and', 'or', 'performed', 'ne', 'between', 'constructor', '__proto__']

export function wordsOf(kind: Kind): readonly string[] {
  return Object.keys(words[kind])
}

/** One that is right; true for a word that is not known. */
export function operandOf(kind: Kind, word: string): unknown {
  const known: Members = words[kind]
  return Object.hasOwn(known, word) ? known[word] : true
}

export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** All objects in a rule but those of `where` and `last`. */
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
  if (kind === 'rule') return partsOfRule(word, operand, beside)
  return word === 'before' || word === 'after' ? [['time', operand, []]] : []
}

const members = (operand: unknown): readonly Part[] =>
  Object.entries(isMembers(operand) ? operand : {}).map(([at, part]) => ['test', part, [at]])
const rules = (operand: unknown): readonly Part[] =>
  Object.entries(listOf(operand)).map(([at, part]) => ['rule', part, [Number(at)]])
const one =
  (kind: Kind) =>
  (operand: unknown): readonly Part[] => [[kind, operand, []]]

/** What stands in a rule under each of its words. */
const parts: Readonly<Record<string, (operand: unknown, rule: Members) => readonly Part[]>> = {
  all: rules,
  any: rules,
  not: one('rule'),
  where: members,
  last: members,
  is: (operand, rule) => one('for' in rule ? 'test' : 'anyTest')(operand),
  event: one('name'),
  created: one('instantTest'),
  count: one('count'),
  bucket: one('bucket'),
}

function partsOfRule(word: string, operand: unknown, rule: Members): readonly Part[] {
  return parts[word]?.(operand, rule) ?? []
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The rule with an object in place of the one at a path. */
function withObject(rule: unknown, [step, ...steps]: Path, object: Members): unknown {
  if (step === undefined) return object
  if (Array.isArray(rule)) {
    return rule.map((part: unknown, at) => (at === step ? withObject(part, steps, object) : part))
  }
  return mapped(isMembers(rule) ? rule : {}, ([name, value]) => [
    [name, name === step ? withObject(value, steps, object) : value],
  ])
}

type Member = readonly [name: string, value: unknown]

function mapped(members: Members, change: (member: Member) => readonly Member[]): Members {
  return Object.fromEntries(Object.entries(members).flatMap(change))
}

/** The word replaced by another one, at the same place, with its operand or another one. */
export function replaced(rule: Rule, site: Site, word: string, member: Member): MistakenRule {
  const object = mapped(site.members, (one) => [one[0] === word ? member : one])
  return { rule: withObject(rule, site.path, object), site: site.path, word: member[0] }
}

/** A word misspelt, or another product's in its place. */
export function misspelt(rule: Rule, site: Site): readonly MistakenRule[] {
  return Object.entries(site.members).flatMap(([word, operand]) =>
    [...foreign, `${word}s`, word.toUpperCase(), word.slice(1), `${word.slice(0, -2)}_`]
      .filter((other) => !everyWord.has(other))
      .map((other) => replaced(rule, site, word, [other, operand])),
  )
}

/** A word that is not known, put before or behind the others. */
export function withForeign(rule: Rule, site: Site): readonly MistakenRule[] {
  return foreign.flatMap((word) => putInto(rule, site, word))
}

/** A word of rules where it may not stand. */
export function misplaced(rule: Rule, site: Site): readonly MistakenRule[] {
  return [...everyWord]
    .filter((word) => !mayStand(site, word))
    .flatMap((word) => putInto(rule, site, word))
}

function putInto(rule: Rule, { kind, path, members }: Site, word: string): readonly MistakenRule[] {
  const added: Member = [word, operandOf(kind, word)]
  const others = Object.entries(members)
  return [
    [added, ...others],
    [...others, added],
  ].map((all) => ({
    rule: withObject(rule, path, Object.fromEntries(all)),
    site: path,
    word,
  }))
}

function mayStand({ kind, members }: Site, word: string): boolean {
  if (word in members) return true
  switch (kind) {
    case 'test':
      return word in flat
    case 'anyTest':
      return word in flat && !['before', 'after'].some((time) => time in members)
    case 'bucket':
      return word === 'salt'
    case 'rule':
      return mayStandInRule(members, word)
    default:
      return false
  }
}

function mayStandInRule(members: Members, word: string): boolean {
  // What is at fault is then the test in `is`, if it is of a time: that one is not put in here.
  if (word === 'for') return 'property' in members
  const lead = leads.find((one) => one in members) ?? ''
  const isApart = ([left, right]: readonly [string, string]) =>
    (left === word && right in members) || (right === word && left in members)
  return beside[lead]?.includes(word) === true && !apart.some(isApart)
}

/** Without a word that must be there. */
export function lacking(rule: Rule, site: Site): readonly MistakenRule[] {
  const { kind, members } = site
  const needed = kind === 'rule' ? [...leads, 'is'] : kind === 'bucket' ? ['below'] : wordsOf(kind)
  const isAlone = Object.keys(members).length === 1
  const canLack = kind === 'rule' || kind === 'bucket' || isAlone
  return Object.keys(members)
    .filter((word) => canLack && needed.includes(word))
    .map((word) => ({
      rule: withObject(
        rule,
        site.path,
        mapped(members, (one) => (one[0] === word ? [] : [one])),
      ),
      site: site.path,
      word,
    }))
}

/** An operand of a type that it cannot have. */
export function ofWrongType(rule: Rule, site: Site): readonly MistakenRule[] {
  return Object.keys(site.members).map((word) =>
    replaced(rule, site, word, [word, ['all', 'any', 'in'].includes(word) ? 3 : []]),
  )
}

/** A test of an event's property that is not named by a pointer. */
export function withoutPointer(rule: Rule, site: Site): readonly MistakenRule[] {
  return ['where', 'last'].flatMap((clause) => {
    const members = site.members[clause]
    if (!isMembers(members)) return []
    const path = [...site.path, clause]
    return Object.keys(members)
      .filter(isPointer)
      .map((name) =>
        replaced(rule, { ...site, path, members }, name, [name.slice(1), members[name]]),
      )
  })
}
