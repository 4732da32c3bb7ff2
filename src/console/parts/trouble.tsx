import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { Text } from './id.js'

/** By code, where the service's own sentence is not for who reads this page. */
const sentences = new Map(
  Object.entries({
    entity_not_found: 'Nobody of this name is here.',
    segment_not_found: 'There is no segment of this key.',
    route_not_found: 'This process answers no such question: its READ_MODEL is off.',
    building: 'The members are still being counted.',
    read_model_behind: 'The service is catching up with what was written.',
    overloaded: 'The service has too much to do just now.',
    store_unavailable: 'The service cannot reach its store.',
    shutting_down: 'The service is being stopped or started anew.',
    no_reply: 'The service does not answer.',
    rate_limited: 'This key has asked too often just now.',
    forbidden: 'This key may not do that.',
    too_many_facts: 'More than 100 000 facts: the past is not shown.',
  }),
)

interface Props {
  readonly error: DossierError | undefined
  /** It was sent by hand, and is not sent again by itself. */
  readonly isSent?: boolean
}

/** What went wrong, and what to do. Nothing where nothing did. */
export function Trouble({ error, isSent = false }: Props): JSX.Element | null {
  const { client } = useSession()
  if (error === undefined) return null
  const isOtherStore = error.code === 'position_unknown'
  return (
    <div role="alert" class="trouble">
      <p>
        {isOtherStore
          ? 'The store was replaced, or restored from a back-up: what this page knew is gone.'
          : (sentences.get(error.code) ?? error.message)}
        {error.isPassing && (isSent ? ' Try again in a moment.' : ' It is asked again by itself.')}
      </p>
      {isOtherStore && (
        <button
          type="button"
          onClick={() => {
            client.forget()
          }}
        >
          Begin afresh
        </button>
      )}
      <ul>
        {error.details.map(({ path, message }) => (
          <li key={path + message}>
            <code>
              <Text text={path === '' ? 'all of it' : path} />
            </code>{' '}
            <Text text={message} />
          </li>
        ))}
      </ul>
      {error.requestId !== undefined && <small>Request {error.requestId}</small>}
    </div>
  )
}
