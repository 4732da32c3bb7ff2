import type { JSX } from 'preact'
import type { PreviewRanking, PreviewResult } from '../../client/dossier.js'
import { Person, Text } from '../parts/id.js'
import { Num } from '../parts/num.js'
import { counted, shownSum } from '../parts/numbers.js'
import { eventWords } from '../parts/rule-words.js'
import { Sentence } from '../parts/words.js'

interface ResultProps {
  readonly result: PreviewResult
}

/** Exactly who would be in a segment with a rule, and who of them has most of what it counts. */
export function PreviewedResult({ result }: ResultProps): JSX.Element {
  const { members, sample, entering, leaving, top } = result
  return (
    <>
      <Unseen result={result} />
      <b>
        Exactly <Num value={members} />
      </b>{' '}
      would be in it; <Num value={entering.count} /> would enter, <Num value={leaving.count} />{' '}
      would leave.
      {top === null || top.items.length === 0 ? (
        <Some title="Some of them" ids={sample} />
      ) : (
        <Top ranking={top} />
      )}
      {entering.count < members && <Some title="Would enter" ids={entering.sample} />}
      {leaving.count > 0 && <Some title="Would leave" ids={leaving.sample} />}
    </>
  )
}

/** Events that the rule asks for, and nobody ever records. */
function Unseen({
  result: { unseen_events: unseen, event_names: names },
}: ResultProps): JSX.Element | null {
  if (unseen.length === 0) return null
  return (
    <p class="bad">
      ▲ No event is called <Names names={unseen} />.{' '}
      {names.length === 0 ? (
        'There are no events yet.'
      ) : (
        <>
          There are: <Names names={names} />.
        </>
      )}
    </p>
  )
}

function Names({ names }: { names: readonly string[] }): JSX.Element {
  return (
    <>
      {names.map((name, at) => (
        <>
          {at > 0 && ', '}
          <code>
            <Text text={name} />
          </code>
        </>
      ))}
    </>
  )
}

/** Who has most of what the rule counts. */
function Top({ ranking: { by, items } }: { ranking: PreviewRanking }): JSX.Element {
  return (
    <>
      <p>
        Most <Sentence words={eventWords(by)} />:
      </p>
      <ol>
        {items.map(({ external_id: id, count, sum }) => (
          <li key={id}>
            <Person id={id} /> {sum !== null && <b>{shownSum(sum)}</b>}
            {sum !== null && ' in '}
            {counted(count, 'event')}
          </li>
        ))}
      </ol>
      {items.length > 0 && items.every(({ sum }) => sum === 0) && (
        <p class="bad">All sums are 0: no event has a number there.</p>
      )}
    </>
  )
}

function Some({ title, ids }: { title: string; ids: readonly string[] }): JSX.Element {
  return (
    <p class="row">
      {title}: {ids.length === 0 ? 'nobody' : ids.map((id) => <Person key={id} id={id} />)}
    </p>
  )
}
