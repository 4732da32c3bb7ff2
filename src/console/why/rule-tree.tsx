import type { JSX } from 'preact'
import type { Evidence, Why } from '../../client/dossier.js'
import { ruleWords, type Words } from '../parts/rule-words.js'
import { When } from '../parts/when.js'
import { Sentence } from '../parts/words.js'
import { factAddress } from '../person/fact-address.js'
import { foundWords, partsOf, type Leaf } from './found.js'

interface Props {
  readonly id: string
  readonly why: Why
}

/** A part of a rule: whether it holds, what was found, and when it differs by itself. */
export function RuleTree({ id, why }: Props): JSX.Element {
  const parts = 'not' in why ? [why.not] : partsOf(why)
  return (
    <li>
      <span class={why.holds ? 'good' : 'bad'}>{why.holds ? '✓ holds' : '✗ does not hold'}</span>
      {': '}
      <Sentence words={askedOf(why)} person={id} />
      {parts === undefined && !('by_hand' in why) && (
        <div class="found">
          Found:{' '}
          <Sentence words={foundWords({ leaf: why as Leaf, asked: why.holds })} person={id} />
        </div>
      )}
      {why.until !== null && (
        <small class="muted">
          {' '}
          By time alone {why.holds ? 'until' : 'from'} <When at={why.until} />
        </small>
      )}
      {'evidence' in why && <Facts id={id} evidence={why.evidence} />}
      {parts !== undefined && (
        <ul>
          {parts.map((part, index) => (
            <RuleTree key={index} id={id} why={part} />
          ))}
        </ul>
      )}
    </li>
  )
}

function askedOf(why: Why): Words {
  if ('all' in why) return ['all of']
  if ('any' in why) return ['at least one of']
  if ('not' in why) return ['not']
  return 'by_hand' in why ? ['put in by hand'] : ruleWords(why)
}

const shownAtOnce = 5

function Facts({
  id,
  evidence,
}: {
  id: string
  evidence: readonly Evidence[]
}): JSX.Element | null {
  const links = evidence.map(({ fact_id: fact, occurred_at: at }) => (
    <a key={fact} href={factAddress(id, fact, at, 'occurred')}>
      <When at={at} plain />
    </a>
  ))
  if (links.length === 0) return null
  return (
    <div class="row found">
      {links.slice(0, shownAtOnce)}
      {links.length > shownAtOnce && (
        <details>
          <summary>{links.length - shownAtOnce} more</summary>
          <div class="row">{links.slice(shownAtOnce)}</div>
        </details>
      )}
    </div>
  )
}
