import type { Why, WhyCount, WhyLast, WhyProperty } from '../../client/dossier.js'
import { pointerWords } from '../parts/pointer-words.js'
import {
  eventWords,
  lastWords,
  neededWords,
  ruleWords,
  valueWord,
  whereWords,
  type Words,
} from '../parts/rule-words.js'

export type Leaf = Exclude<Why, { all: unknown } | { any: unknown } | { not: unknown }>

/** A part of a rule without subparts that decides the result of the rule. */
export interface Deciding {
  readonly leaf: Leaf
  /** Whether the rule requires that the part holds. A `not` above the part reverses the requirement. */
  readonly asked: boolean
}

/** Returns the subparts of `all` or `any`. Returns undefined for other rules. */
export function partsOf(why: Why): readonly Why[] | undefined {
  if ('all' in why) return why.all
  return 'any' in why ? why.any : undefined
}

/** Returns the parts that decide whether the rule holds. */
export function deciding(why: Why, asked = true): readonly Deciding[] {
  if ('not' in why) return deciding(why.not, !asked)
  const parts = partsOf(why)
  if (parts === undefined) return [{ leaf: why as Leaf, asked }]
  // One failing part decides `all`, and one holding part decides `any`.
  const decisive = parts.filter(({ holds }) => holds === why.holds)
  return decisive.flatMap((part) => deciding(part, asked))
}

/** Returns the finding of a part in words: `0 of 1 buy event in the last 90 days`. */
export function foundWords({ leaf, asked }: Deciding): Words {
  if ('by_hand' in leaf) return [leaf.holds ? 'added by hand' : 'nobody has added them by hand']
  if ('counted' in leaf) return countedWords(leaf, asked)
  if ('last' in leaf) return newestWords(leaf)
  if ('property' in leaf) return valueWords(leaf, asked)
  return ruleWords(leaf, !leaf.holds)
}

function countedWords(why: WhyCount, asked: boolean): Words {
  const { counted, needed, holds } = why
  if (holds === asked && counted === 0) return ['no ', ...eventWords(why, 1)]
  if (asked && !holds && 'gte' in needed) {
    return [`${String(counted)} of ${String(needed.gte)} `, ...eventWords(why, needed.gte)]
  }
  const found = [`${String(counted)} `, ...eventWords(why, counted)]
  return holds === asked ? found : [...found, ...askedWords(neededWords(needed, !asked))]
}

function askedWords(words: Words): Words {
  const trimmed = words.map((word) =>
    word === words.at(-1) && typeof word === 'string' ? word.trimEnd() : word,
  )
  // Replaces `no` without a noun by `none`.
  return [', and the rule asks for ', ...(trimmed[0] === 'no' ? ['none'] : trimmed)]
}

function newestWords(why: WhyLast): Words {
  const [newest] = why.evidence
  const words = lastWords(why)
  if (newest === undefined) return ['there is no ', ...words.slice(1)]
  const verb = why.holds ? ' passes: ' : ' does not pass: '
  return [...words, ', ', { at: newest.occurred_at }, ',', verb, ...whereWords(why.last)]
}

function valueWords(why: WhyProperty, asked: boolean): Words {
  const { property, value, is, not_a_time: isNoTime } = why
  const found = value === undefined ? ['is not known'] : ['is ', valueWord(value)]
  const words = [
    { name: pointerWords(property) },
    ' ',
    ...found,
    isNoTime === true ? ', which is no time' : '',
  ]
  if (why.holds === asked && why.for === undefined) return words
  const long = why.for === undefined ? {} : { for: why.for }
  const wanted = ruleWords({ property, is, ...long }, !asked)
  if (wanted[0] === 'not (') return [...words, ', and the rule asks for ', ...wanted]
  // Omits the name of the property, which the sentence already contains.
  return [...words, ', and the rule asks that it ', ...wanted.slice(2)]
}
