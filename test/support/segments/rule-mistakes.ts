import { isPointer } from '../../../src/domain/segments/rule/pointer.js'
import type { Rule } from './rule-grammar.js'
import {
  everyWord,
  flat,
  isMembers,
  mapped,
  operandOf,
  withObject,
  wordsOf,
  type Member,
  type Members,
  type Path,
  type Site,
} from './rule-sites.js'

/** What one mistake makes of a rule. */
export interface MistakenRule {
  readonly rule: unknown
  /** The object that it is in. */
  readonly site: Path
  /** That was mistaken, left out or put in. */
  readonly word: string
}

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

/** Words of other products' rules. */
const foreign = ['and', 'or', 'performed', 'ne', 'between', 'constructor', '__proto__']

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
    case 'rule':
      return mayStandInRule(members, word)
    case 'test':
      return word in flat
    case 'anyTest':
      return word in flat && !('before' in members) && !('after' in members)
    default:
      return kind === 'bucket' && word === 'salt'
  }
}

/** `for` is not put beside a test of a time: that is a fault of the test. */
function mayStandInRule(rule: Members, word: string): boolean {
  const lead = leads.find((one) => one in rule) ?? ''
  const isApart = ([left, right]: readonly [string, string]) =>
    (left === word && right in rule) || (right === word && left in rule)
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
