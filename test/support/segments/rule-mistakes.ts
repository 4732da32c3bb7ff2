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

/** A rule with one mistake. */
export interface MistakenRule {
  readonly rule: unknown
  /** The path of the object with the mistake. */
  readonly site: Path
  /** The word that is wrong, missing or added. */
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

/** Words from the rules of other products. */
const foreign = ['and', 'or', 'performed', 'ne', 'between', 'constructor', '__proto__']

/** Replaces the word in place by another, with the same or another operand. */
export function replaced(rule: Rule, site: Site, word: string, member: Member): MistakenRule {
  const object = mapped(site.members, (one) => [one[0] === word ? member : one])
  return { rule: withObject(rule, site.path, object), site: site.path, word: member[0] }
}

/** Misspells a word, or replaces it by a word of another product. */
export function misspelt(rule: Rule, site: Site): readonly MistakenRule[] {
  return Object.entries(site.members).flatMap(([word, operand]) =>
    [...foreign, `${word}s`, word.toUpperCase(), word.slice(1), `${word.slice(0, -2)}_`]
      .filter((other) => !everyWord.has(other))
      .map((other) => replaced(rule, site, word, [other, operand])),
  )
}

/** Adds an unknown word before or after the others. */
export function withForeign(rule: Rule, site: Site): readonly MistakenRule[] {
  return foreign.flatMap((word) => putInto(rule, site, word))
}

/** Adds a word of the grammar where it is not allowed. */
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

/** Returns whether the word is allowed there. `for` beside a test of a time is a fault of that test. */
function mayStandInRule(rule: Members, word: string): boolean {
  const lead = leads.find((one) => one in rule) ?? ''
  const isApart = ([left, right]: readonly [string, string]) =>
    (left === word && right in rule) || (right === word && left in rule)
  return beside[lead]?.includes(word) === true && !apart.some(isApart)
}

/** Removes a required word. */
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

/** Gives a word an operand of the wrong type. */
export function ofWrongType(rule: Rule, site: Site): readonly MistakenRule[] {
  return Object.keys(site.members).map((word) =>
    replaced(rule, site, word, [word, ['all', 'any', 'in'].includes(word) ? 3 : []]),
  )
}

/** Adds a test of an event property whose name is not a JSON Pointer. */
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
