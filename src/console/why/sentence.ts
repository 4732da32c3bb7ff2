import type { Explanation, Why } from '../../client/dossier.js'
import { joined, type Words } from '../parts/rule-words.js'
import { deciding, foundWords } from './found.js'
import { remedyOf } from './remedy.js'

/** The maximum number of parts of a rule in one sentence. */
const shownAtMost = 4

export interface Reason {
  /** The reason in sentences: what was found, what would change it, and when a missing event last happened. */
  readonly sentences: readonly Words[]
  /** When the membership changes if nothing else happens. Undefined if it never changes by itself. */
  readonly change: Words | undefined
}

/**
 * Returns the reason why a person is in a segment or not. `lastAt` is the time at which the missing event last
 * happened. It is undefined if it is unknown, or if the event never happened.
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

/**
 * Returns the changes that would bring the person into the segment. Returns nothing if only time does so, because
 * `change` contains that time.
 */
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

/** Returns the name of an event that the rule requires and that was not found. The page shows when it last happened. */
export function missingEvent({ member, why }: Explanation): string | undefined {
  if (member) return undefined
  for (const { leaf, asked } of deciding(why)) {
    const isTooFew = asked && 'counted' in leaf && leaf.counted === 0
    if (isTooFew && typeof leaf.event === 'string') return leaf.event
  }
  return undefined
}
