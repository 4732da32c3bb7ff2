import type { Explanation, Why } from '../../client/dossier.js'
import { joined, type Words } from '../parts/rule-words.js'
import { deciding, foundWords } from './found.js'
import { remedyOf } from './remedy.js'

/** As many parts of a rule as a sentence can bear. */
const shownAtMost = 4

/**
 * Why somebody is in a segment or not, in sentences: what was found, what would do, what time does.
 * `lastAt`: when the event that is missing happened last; undefined: that is not known, or it never did.
 */
export function whySentences(explained: Explanation, lastAt?: string): readonly Words[] {
  const { member, segment, since, until, why } = explained
  const found = deciding(why).map(foundWords)
  const rest = found.length - shownAtMost
  const more = rest > 0 ? [` and ${String(rest)} more, below`] : []
  const verdict: Words = [member ? 'In ' : 'Not in ', { segment }, ...sinceWords(since), ': ']
  const between = ' and '
  const sentences: Words[] = [
    [...verdict, ...joined(found.slice(0, shownAtMost), between), ...more, '.'],
  ]
  if (!member) sentences.push(...advice(why))
  if (lastAt !== undefined) sentences.push(['The last one: ', { at: lastAt }, '.'])
  if (until !== null) {
    const verb = member ? 'They leave' : 'They enter'
    sentences.push([verb, ' by time alone on ', { at: until }, ' if nothing else is recorded.'])
  }
  return sentences
}

/** What would bring them in; nothing where time does, of which another sentence says when. */
function advice(why: Why): readonly Words[] {
  const remedy = remedyOf(why)
  if (remedy === undefined || (remedy.isTime === true && why.until !== null)) return []
  if (remedy.isPossible) return [[...capital(remedy.words), ' would do.']]
  return [['Nothing that is recorded would bring them in: ', ...remedy.words, '.']]
}

function sinceWords(since: string | null): Words {
  return since === null ? [] : [' since ', { at: since }]
}

function capital([first, ...rest]: Words): Words {
  return typeof first === 'string'
    ? [first.charAt(0).toUpperCase() + first.slice(1), ...rest]
    : [first ?? '', ...rest]
}

/** The name of the event of which too few were found: the newest of any time is worth showing. */
export function missingEvent({ member, why }: Explanation): string | undefined {
  if (member) return undefined
  for (const { leaf, asked } of deciding(why)) {
    const isTooFew = asked && 'counted' in leaf && leaf.counted === 0
    if (isTooFew && typeof leaf.event === 'string') return leaf.event
  }
  return undefined
}
