import type { JSX } from 'preact'
import type { Explanation } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { useAnswer } from '../parts/use-answer.js'
import { Sentence } from '../parts/words.js'
import { ByHandSaid } from './by-hand-said.js'
import { Periods } from './periods.js'
import { RuleTree } from './rule-tree.js'
import { missingEvent, reasonOf } from './sentence.js'
import { shownPart } from './tree.js'

/**
 * The explanation of a membership: the reason in a few sentences, each part of the rule, and each period of membership.
 */
export function Explained({ id, explained }: { id: string; explained: Explanation }): JSX.Element {
  const { client } = useSession()
  const name = missingEvent(explained)
  const { value: last } = useAnswer(
    ['last event', id, name],
    async (signal) =>
      name === undefined
        ? undefined
        : (await client.entities.events(id, { name, limit: 1 }, { signal }).page()).items[0],
    0,
  )
  const { sentences, change } = reasonOf(explained, last?.occurred_at)
  return (
    <>
      <div class="card verdict">
        <p>
          {sentences.map((words, at) => (
            <span key={at}>
              <Sentence words={words} person={id} />{' '}
            </span>
          ))}
          {change !== undefined && (
            <b>
              <Sentence words={change} person={id} />
            </b>
          )}
        </p>
      </div>
      <Card title="The rule, part by part">
        <ul class="why-tree">
          <RuleTree id={id} part={shownPart(explained.why)} />
        </ul>
      </Card>
      <Periods id={id} explained={explained} />
      {'by_hand' in explained.why && <ByHandSaid id={id} segment={explained.segment} />}
    </>
  )
}
