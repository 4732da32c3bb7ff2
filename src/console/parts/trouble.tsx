import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { Button } from './button.js'
import { Text } from './id.js'

/** Messages by error code. They replace messages of the service that do not suit a user of this page. */
const sentences = new Map(
  Object.entries({
    entity_not_found: 'There is nobody with this id.',
    event_not_found: 'This person has no such event.',
    segment_not_found: 'There is no segment with this key.',
    route_not_found: 'This process answers no such question: its READ_MODEL is off.',
    building: 'The members are still being counted.',
    read_model_behind: 'The service is catching up with the newest writes.',
    overloaded: 'The service has too much to do just now.',
    store_unavailable: 'The service cannot reach its store.',
    shutting_down: 'The service is stopping or starting again.',
    no_reply: 'The service does not answer.',
    rate_limited: 'This key has sent too many requests just now.',
    forbidden: 'This key may not do that.',
    webhook_not_found: 'There is no webhook with this key.',
    webhooks_off:
      'This process sends no webhooks: its WEBHOOKS or READ_MODEL is off, or it has another WEBHOOK_SECRET. Nothing was stored.',
    too_many_facts: 'This person has more than 100 000 facts, so their past is not shown.',
  }),
)

interface Props {
  readonly error: DossierError | undefined
  /** Whether a user sent the failed request. The page does not repeat such a request. */
  readonly isSent?: boolean
}

/** Shows an error and what to do about it. Shows nothing without an error. */
export function Trouble({ error, isSent = false }: Props): JSX.Element | null {
  const { client, answers } = useSession()
  if (error === undefined) return null
  const isOtherStore = error.code === 'position_unknown'
  return (
    <div role="alert" class={error.isPassing ? 'trouble passing' : 'trouble'}>
      <p>
        {isOtherStore
          ? 'The store was replaced, or restored from a backup, so this page must start again.'
          : (sentences.get(error.code) ?? error.message)}
        {error.isPassing &&
          (isSent ? ' Try again in a moment.' : ' The page tries again by itself.')}
      </p>
      {isOtherStore && (
        <Button
          onClick={() => {
            client.forget()
            answers.refresh()
          }}
        >
          Start again
        </Button>
      )}
      {error.details.length > 0 && (
        <ul>
          {error.details.map(({ path, message }) => (
            <li key={path + message}>
              <code>
                <Text text={path === '' ? 'the body' : path} />
              </code>{' '}
              <Text text={message} />
            </li>
          ))}
        </ul>
      )}
      {error.requestId !== undefined && <small>Request {error.requestId}</small>}
    </div>
  )
}
