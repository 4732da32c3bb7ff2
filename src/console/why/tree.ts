import type { Evidence, Why } from '../../client/dossier.js'
import { durationMs, ruleWords, valueWord, type Words } from '../parts/rule-words.js'
import { partsOf, type Leaf } from './found.js'

/**
 * A part of a rule as the page shows it. The page does not show `not` as a part. Instead, it words the parts below
 * `not` as their opposites, so that every part is something to be met.
 */
export interface ShownPart {
  readonly words: Words
  /** `in the way` means that the rule forbids something that exists. */
  readonly state: 'met' | 'not met' | 'in the way'
  /** Whether the whole rule needs this part to be met. */
  readonly isNeeded: boolean
  /** The finding, in a few words. */
  readonly found: Words
  /** The time at which the part changes by itself. Null if it does not. */
  readonly until: string | null
  readonly parts: readonly ShownPart[]
  /** The rule of a part without subparts. Undefined for other parts. */
  readonly leaf: Leaf | undefined
}

/** Returns the parts of a rule. `asked` says whether the rule requires that `why` holds. */
export function shownPart(why: Why, asked = true, isNeeded = true): ShownPart {
  if ('not' in why) return shownPart(why.not, !asked, isNeeded)
  const isMet = why.holds === asked
  const parts = partsOf(why)
  const shared = { isNeeded, until: why.until }
  if (parts === undefined) {
    const leaf = why as Leaf
    return {
      ...shared,
      words: 'by_hand' in leaf ? ['added by hand'] : ruleWords(leaf, !asked),
      state: isMet ? 'met' : asked ? 'not met' : 'in the way',
      found: foundIn(leaf, isMet),
      parts: [],
      leaf,
    }
  }
  const areAllNeeded = 'all' in why === asked
  return {
    ...shared,
    words: [areAllNeeded ? 'all of' : 'at least one of'],
    state: isMet ? 'met' : 'not met',
    found: [],
    parts: parts.map((part) => shownPart(part, asked, isNeeded && (areAllNeeded || !isMet))),
    leaf: undefined,
  }
}

function foundIn(leaf: Leaf, isMet: boolean): Words {
  if ('counted' in leaf) {
    const { counted } = leaf
    if (counted === 0) return ['none found']
    const times = counted === 1 ? 'once' : `${String(counted)} times`
    return [isMet ? times : `found ${times}`]
  }
  if ('property' in leaf) {
    if (leaf.value === undefined) return ['not known']
    return ['it is ', valueWord(leaf.value), leaf.not_a_time === true ? ', which is no time' : '']
  }
  if ('last' in leaf && leaf.evidence.length === 0) return ['none found']
  return []
}

/** Returns the time at which an event stops counting, or undefined if it always counts. */
export function countsUntil(leaf: Leaf, { occurred_at: at }: Evidence): string | undefined {
  if (!('within' in leaf)) return undefined
  return new Date(Date.parse(at) + durationMs(leaf.within)).toISOString()
}
