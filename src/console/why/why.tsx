import type { JSX } from 'preact'
import type { Explanation } from '../../client/dossier.js'
import { step, withQuery } from '../../client/requests.js'
import { addressOf, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Person, SegmentName, Text } from '../parts/id.js'
import { Trouble } from '../parts/trouble.js'
import { When } from '../parts/when.js'
import { Sentence } from '../parts/words.js'
import { isPast, pastIn } from '../person/past.js'
import { WhyPicker } from '../person/person-segments.js'
import { ByHandSaid } from './by-hand-said.js'
import { Periods } from './periods.js'
import { RuleTree } from './rule-tree.js'
import { missingEvent, whySentences } from './sentence.js'

interface Props {
  readonly id: string
  readonly segment: string
  readonly route: Route
}

/** Why somebody is in a segment, or is not, and what would bring them in. */
export function Why({ id, segment, route }: Props): JSX.Element {
  const { client } = useSession()
  const past = pastIn(route.query)
  const { value, error } = useAsked(
    (signal) => client.segments.explain(segment, id, past, { signal }),
    [id, segment, past.as_of, past.known_at],
    isPast(past) ? 0 : oftenMs,
  )
  return (
    <>
      <h1>
        Why: <Text text={id} /> and {segment}
      </h1>
      <p class="row">
        <Person id={id} />
        <SegmentName segment={segment} />
        {past.as_of !== undefined && (
          <span>
            As of <When at={past.as_of} plain />
          </span>
        )}
        {past.known_at !== undefined && (
          <span>
            As known on <When at={past.known_at} plain />
          </span>
        )}
      </p>
      <Trouble error={error} />
      {value && <Said id={id} explained={value} />}
      <CopyCall
        path={withQuery(`/entities/${step(id)}/segments/${step(segment)}`, { ...past })}
        code={`const { member, until, why } = await dossier.segments.explain(${literal(segment)}, ${literal(id)}, ${literal(past)})`}
      />
      <WhyPicker to={(other) => addressOf(['people', id, 'why', other], { ...past })} />
    </>
  )
}

function Said({ id, explained }: { id: string; explained: Explanation }): JSX.Element {
  const { client } = useSession()
  const name = missingEvent(explained)
  const { value: last } = useAsked(
    async (signal) =>
      name === undefined
        ? undefined
        : (await client.entities.events(id, { name, limit: 1 }, { signal }).page()).items[0],
    [id, name],
    0,
  )
  return (
    <>
      <p class="verdict">
        {whySentences(explained, last?.occurred_at).map((words, index) => (
          <span key={index}>
            <Sentence words={words} person={id} />{' '}
          </span>
        ))}
      </p>
      <h2>The rule, part by part</h2>
      <ul class="tree">
        <RuleTree id={id} why={explained.why} />
      </ul>
      <Periods id={id} explained={explained} />
      {'by_hand' in explained.why && <ByHandSaid id={id} segment={explained.segment} />}
    </>
  )
}
