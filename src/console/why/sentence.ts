import type { Explanation, Why } from '../../client/dossier.js'
import { joined, type Words } from '../parts/rule-words.js'
import { deciding, foundWords } from './found.js'
import { remedyOf } from './remedy.js'

/** As many parts of a rule as a sentence can bear. */
const shownAtMost = 4

export interface Reason {
  /** What decides: what was found, what would change it, when a missing event happened last. */
  readonly sentences: readonly Words[]
  /** When membership changes if nothing else happens; undefined: never. */
  readonly change: Words | undefined
}

/**
 * Why somebody is in a segment or not. `lastAt`: when the event that is missing happened last; undefined: that is
 * not known, or it never did.
 */
export function reasonOf(explained: Explanation, lastAt?: string): Reason {
  const { member, since, until, why } = explained
  const found = deciding(why).map(foundWords)
  const rest = found.length - shownAtMost
  const more = rest > 0 ? [`; and ${String(rest)} more, below`] : []
  const parts = joined(found.slice(0, shownAtMost), '; ')
  const verdict = since === null ? capital(parts) : ['Since ', { at: since }, ': ', ...parts]
  const sentences: Words[] = [[...verdict, ...more, '.']]
  if (!member) sentences.push(...advice(why))
  if (lastAt !== undefined) sentences.push(['The last one: ', { at: lastAt }, '.'])
  const verb = member ? 'leave' : 'enter'
  return {
    sentences,
    change:
      until === null
        ? undefined
        : [`If nothing else happens, they ${verb} on `, { at: until }, '.'],
  }
}

/** What would bring them in; nothing where time does, of which `change` says when. */
function advice(why: Why): readonly Words[] {
  const remedy = remedyOf(why)
  if (remedy === undefined || (remedy.isTime === true && why.until !== null)) return []
  if (remedy.isPossible) return [[...capital(remedy.words), ' would do.']]
  return [['Nothing that can be recorded would bring them in: ', ...remedy.words, '.']]
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
