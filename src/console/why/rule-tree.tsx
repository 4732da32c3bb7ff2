import type { JSX } from 'preact'
import { Chip, type Tone } from '../parts/chip.js'
import { When } from '../parts/when.js'
import { Sentence } from '../parts/words.js'
import { EvidenceTable } from './evidence-table.js'
import type { ShownPart } from './tree.js'

interface Props {
  readonly id: string
  readonly part: ShownPart
}

/** A part of a rule: whether it is met, what was found, and when this changes by itself. */
export function RuleTree({ id, part }: Props): JSX.Element {
  const { words, state, found, until, parts, leaf } = part
  const isLeaf = leaf !== undefined
  return (
    <li>
      <div class="part">
        <Chip tone={toneOf(part)} icon={state === 'met' ? 'yes' : 'no'}>
          {state}
        </Chip>
        <span>
          <Sentence words={words} person={id} />
          {isLeaf && found.length > 0 && (
            <span class="muted">
              {' '}
              · <Sentence words={found} person={id} />
            </span>
          )}
          {until !== null && isLeaf && (
            <span class="muted">
              {' '}
              · {state === 'not met' ? 'from' : 'until'} <When at={until} plain />
            </span>
          )}
        </span>
      </div>
      {isLeaf && 'evidence' in leaf && leaf.evidence.length > 0 && (
        <details class="evidence" open={state !== 'met'}>
          <summary>
            {leaf.evidence.length === 1
              ? 'The event'
              : `The ${String(leaf.evidence.length)} events`}
          </summary>
          <EvidenceTable id={id} leaf={leaf} />
        </details>
      )}
      {parts.length > 0 && (
        <ul>
          {parts.map((one, at) => (
            <RuleTree key={at} id={id} part={one} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** Returns the colour of a part. Only a part that is needed and not met is red. */
function toneOf({ state, isNeeded }: ShownPart): Tone {
  if (state === 'met') return 'good'
  return isNeeded ? 'bad' : 'plain'
}
