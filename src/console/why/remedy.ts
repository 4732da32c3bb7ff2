import type { Why, WhyCount, WhyLast, WhyProperty } from '../../client/dossier.js'
import { pointerWords } from '../parts/pointer-words.js'
import {
  durationMs,
  instantWords,
  joined,
  named,
  notWords,
  spanWords,
  testWords,
  whereWords,
  type Words,
} from '../parts/rule-words.js'
import { durationWords } from '../parts/times.js'
import { partsOf, type Leaf } from './found.js'

/** The events and changes that would make a part hold, or not hold. If there are none, the reason why. */
export interface Remedy {
  readonly words: Words
  /** Whether recorded facts can have this effect. If not, `words` contains the reason. */
  readonly isPossible: boolean
  /** How the words are connected. The form decides whether they need brackets inside other words. */
  readonly form: 'one' | 'and' | 'or'
  /** Whether only the passing of time has this effect. */
  readonly isTime?: boolean
}

/**
 * Returns the remedy that makes a part hold (`wanted`) or not hold. Returns undefined if this is already so. `around`
 * contains limits from other parts of the rule.
 */
export function remedyOf(why: Why, wanted = true, around: readonly Few[] = []): Remedy | undefined {
  if (why.holds === wanted && !('not' in why)) return undefined
  if ('not' in why) return remedyOf(why.not, !wanted, around)
  const parts = partsOf(why)
  if (parts === undefined) return leafRemedy(why as Leaf, wanted, around)
  const areAllNeeded = 'all' in why === wanted
  if (!areAllNeeded) return oneOf(parts.map((part) => remedyOf(part, wanted, around)))
  const few = [...around, ...parts.flatMap((part) => fewIn(part, wanted))]
  return allOf(parts.map((part) => remedyOf(part, wanted, few)))
}

function allOf(parts: readonly (Remedy | undefined)[]): Remedy | undefined {
  const needed = parts.filter((part) => part !== undefined)
  return needed.find(({ isPossible }) => !isPossible) ?? together(needed, 'and')
}

function oneOf(parts: readonly (Remedy | undefined)[]): Remedy | undefined {
  const ways = parts.filter((part) => part !== undefined)
  const possible = ways.filter(({ isPossible }) => isPossible)
  return possible.length > 0 ? together(possible, 'or') : together(ways, 'and')
}

function together(parts: readonly Remedy[], form: 'and' | 'or'): Remedy | undefined {
  const [first, second] = parts
  if (first === undefined || second === undefined) return first
  const words = parts.map((part) =>
    part.form === 'one' || part.form === form ? part.words : ['(', ...part.words, ')'],
  )
  return {
    words: joined(words, ` ${form} `),
    isPossible: parts.every((part) => part.isPossible),
    form,
  }
}

const way = (...words: Words): Remedy => ({ words, isPossible: true, form: 'one' })
const noWay = (...words: Words): Remedy => ({ words, isPossible: false, form: 'one' })

/** A limit on the number of events, from another part of the rule. */
interface Few {
  readonly event: WhyCount['event']
  /** The condition on the counted events as JSON. Undefined if all events of the name count. */
  readonly where: string | undefined
  readonly within: string | undefined
  /** The number of further events that the limit permits. */
  readonly room: number
}

/** Returns the parts that hold now and would not hold after more events. */
function fewIn(why: Why, wanted: boolean): readonly Few[] {
  if ('not' in why) return fewIn(why.not, !wanted)
  const parts = partsOf(why)
  if (parts !== undefined) {
    return 'all' in why === wanted ? parts.flatMap((part) => fewIn(part, wanted)) : []
  }
  return 'counted' in why && why.holds === wanted ? fewOf(why, wanted) : []
}

function fewOf(why: WhyCount, wanted: boolean): readonly Few[] {
  const { event, where, within, needed, counted } = why
  const most = mostOf(needed, wanted)
  const isOfNow = why.after === undefined && why.before === undefined
  if (most === undefined || !isOfNow) return []
  return [{ event, where: where && JSON.stringify(where), within, room: most - counted }]
}

/** Returns the maximum number of events that the rule permits, or undefined without a limit. */
function mostOf(needed: WhyCount['needed'], wanted: boolean): number | undefined {
  if ('gte' in needed) return wanted ? undefined : needed.gte - 1
  return wanted ? Object.values<number>(needed)[0] : undefined
}

function leafRemedy(leaf: Leaf, wanted: boolean, around: readonly Few[]): Remedy {
  if ('counted' in leaf) return countRemedy(leaf, wanted, around)
  if ('last' in leaf) return lastRemedy(leaf, wanted)
  if ('property' in leaf) return propertyRemedy(leaf, wanted)
  if ('segment' in leaf) return way(wanted ? 'entering ' : 'leaving ', { segment: leaf.segment })
  if ('by_hand' in leaf) return way(`somebody ${wanted ? 'adding' : 'removing'} them by hand`)
  return leaf.until === null ? noWay(constancy(leaf)) : byTime(leaf.until)
}

/** Returns the reason why the result of this test can never change. */
function constancy(leaf: Leaf): string {
  if ('created' in leaf) return 'when they were created never changes'
  return 'bucket' in leaf ? 'the share is drawn by the id, which never changes' : 'everybody is in'
}

function byTime(until: string | null): Remedy {
  return until === null
    ? noWay('what has happened stays')
    : { ...way('waiting until ', { at: until }), isTime: true }
}

function countRemedy(why: WhyCount, wanted: boolean, around: readonly Few[]): Remedy {
  const { counted, needed, until } = why
  // More events help `gte` and the opposite of `lte`. Fewer events help the other tests.
  const most = 'gte' in needed ? needed.gte : 'lte' in needed ? needed.lte + 1 : needed.eq
  if ('eq' in needed) {
    if (wanted && counted > most) return byTime(until)
    return moreEvents(why, wanted ? most - counted : 1, around)
  }
  return wanted === 'gte' in needed ? moreEvents(why, most - counted, around) : byTime(until)
}

function moreEvents(why: WhyCount, missing: number, around: readonly Few[]): Remedy {
  const { event, where, within, counted } = why
  const clauses: Words = where === undefined ? [] : [' where ', ...whereWords(where)]
  const number = missing === 1 ? 'one ' : `${String(missing)} `
  const more = counted > 0 ? 'more ' : ''
  const span = within === undefined && spanWords(why) !== ' ever' ? spanWords(why) : ''
  const words: Words = [number + more, ...named(event, missing), ...clauses, span]
  const barred = around.filter((few) => isBarred(why, missing, few))
  if (barred.length === 0) return way(...words)
  if (barred.every((one) => isNarrower(one, within))) return way(...words, agoWords(barred, within))
  return noWay('another part of the rule asks for no more ', ...named(event, 2))
}

/** Returns the period whose events are too old for the limits but still count for the part that needs more events. */
function agoWords(barred: readonly Few[], within: string | undefined): string {
  const spans = barred.map((few) => few.within ?? '')
  const newest = spans.reduce((one, other) => (durationMs(one) < durationMs(other) ? other : one))
  const from = durationWords(newest)
  if (within === undefined) return ` more than ${from} ago`
  const [count, unit] = from.split(' ')
  const to = durationWords(within)
  const isOneUnit = to.endsWith(` ${unit ?? ''}`)
  return ` between ${(isOneUnit ? count : undefined) ?? from} and ${to} ago`
}

/** Returns whether the missing events would exceed a limit. */
function isBarred({ event, where }: WhyCount, missing: number, few: Few): boolean {
  const isSameName = JSON.stringify(event) === JSON.stringify(few.event)
  const isSame = few.where === undefined || few.where === JSON.stringify(where)
  return isSameName && isSame && missing > few.room
}

/** Returns whether an event can be too old for the limit and still count in the period `within`. */
function isNarrower(few: Few, within: string | undefined): boolean {
  if (few.within === undefined) return false
  return within === undefined || durationMs(few.within) < durationMs(within)
}

function lastRemedy({ event, where, last }: WhyLast, wanted: boolean): Remedy {
  const clauses: Words = where === undefined ? [] : [' where ', ...whereWords(where), ',']
  const verb = wanted ? ' that passes: ' : ' that does not pass: '
  return way('a newer ', ...named(event, 1), ...clauses, verb, ...whereWords(last))
}

function propertyRemedy(why: WhyProperty, wanted: boolean): Remedy {
  const { property, is, until } = why
  if (until !== null) {
    return way(
      'waiting until ',
      { at: until },
      ', if ',
      { name: pointerWords(property) },
      ' stays as it is,',
    )
  }
  const test = 'before' in is || 'after' in is ? ['is ', instantWords(is)] : testWords(is)
  const words = wanted ? test : notWords(is, test)
  const long = why.for !== undefined && wanted ? ` for ${durationWords(why.for)}` : ''
  return way('a change after which ', { name: pointerWords(property) }, ' ', ...words, long)
}
