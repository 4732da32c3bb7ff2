import type { JSX } from 'preact'
import type { PreviewResult } from '../../../client/dossier.js'
import { Text } from '../../parts/id.js'

/** A warning when the rule names events that nobody has recorded. */
export function UnseenEvents({
  result: { unseen_events: unseen, event_names: names },
}: {
  result: PreviewResult
}): JSX.Element | null {
  if (unseen.length === 0) return null
  return (
    <p class="warn unseen-events">
      ▲ Nobody has recorded an event called <Names names={unseen} />.{' '}
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
          <b>
            <Text text={name} />
          </b>
        </>
      ))}
    </>
  )
}
