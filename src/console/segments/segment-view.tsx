import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Segment } from '../../client/dossier.js'
import { MemberForm } from '../by-hand/member-form.js'
import { addressOf, go } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { ruleWords } from '../parts/rule-words.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { When } from '../parts/when.js'
import { Sentence } from '../parts/words.js'
import { Members } from './members.js'
import { RecentChanges } from './recent-changes.js'
import { State } from './segment-list.js'
import { Versions } from './versions.js'

/** One segment: its rule, who is in it, who came and went, and how it was before. */
export function SegmentView({ segment: key }: { segment: string }): JSX.Element {
  const { client } = useSession()
  const { value, error, reload } = useAsked((signal) => client.segments.get(key, { signal }), [key])
  return (
    <>
      <h1>
        <Text text={value?.title ?? key} /> <small class="muted">{value && key}</small>
      </h1>
      <Trouble error={error} />
      {value !== undefined && (
        <>
          <Definition segment={value} />
          <div class="cols">
            <Members segment={key} members={value.members} />
            <RecentChanges segment={key} />
          </div>
          {value.kind === 'hand' && <MemberForm segment={key} onDone={reload} />}
        </>
      )}
      <Versions segment={key} />
      {value !== undefined && <Retire segment={value} />}
    </>
  )
}

function Definition({ segment }: { segment: Segment }): JSX.Element {
  const { key, rule, version, defined_at: at } = segment
  return (
    <section>
      <p>
        {rule === null ? (
          'Its members are put in and taken out by hand.'
        ) : (
          <Sentence words={ruleWords(rule)} />
        )}
      </p>
      <p class="row">
        <State segment={segment} />
        <span class="muted">
          version {version}, since <When at={at} />
        </span>
        <a href={addressOf(['segments', key, 'edit'])}>Edit, preview, who most</a>
        <CopyCall path={`/segments/${key}`} code={`await dossier.segments.get(${literal(key)})`} />
      </p>
      {rule !== null && (
        <details>
          <summary>The rule as JSON</summary>
          <Json value={rule} />
        </details>
      )}
    </section>
  )
}

function Retire({ segment: { key, version } }: { segment: Segment }): JSX.Element {
  const { client } = useSession()
  const [isAsked, setAsked] = useState(false)
  const sent = useSent(
    key,
    (options) => client.segments.retire(key, { ...options, ifVersion: version }),
    () => {
      go(addressOf(['segments']))
    },
  )
  return (
    <section>
      <h2>Retire</h2>
      {isAsked ? (
        <p>
          Nobody is in it from then on; what it was stays in its versions.{' '}
          <Act scope="segments" isBusy={sent.isBusy} onClick={() => void sent.send()}>
            Yes, retire {key}
          </Act>{' '}
          <button
            type="button"
            onClick={() => {
              setAsked(false)
            }}
          >
            No
          </button>
        </p>
      ) : (
        <Act
          scope="segments"
          onClick={() => {
            setAsked(true)
          }}
        >
          Retire …
        </Act>
      )}
      <Trouble error={sent.error} isSent />
      <CopyCall
        method="DELETE"
        path={`/segments/${key}`}
        headers={{ 'If-Match': `"${String(version)}"` }}
        code={`await dossier.segments.retire(${literal(key)}, { ifVersion: ${String(version)} })`}
      />
    </section>
  )
}
