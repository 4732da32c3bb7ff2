import type { JSX } from 'preact'
import type { Webhook } from '../../../client/dossier.js'
import { Card } from '../../parts/card.js'
import { SegmentName, Text } from '../../parts/id.js'
import { wordsOfType } from '../type-words.js'

/** The receiver of a webhook, and the facts that are sent to it. */
export function DefinitionCard({ webhook }: { webhook: Webhook }): JSX.Element {
  const { origin, types, events, segments, entity_id: entity, profile } = webhook
  // A filter with event names selects only events.
  const sent = types ?? (events === null ? null : ['EventRecorded'])
  return (
    <Card title="Definition">
      <dl class="pairs">
        <dt>Receiver</dt>
        <dd>
          <Text text={origin} />
        </dd>
        <dt>Types of facts</dt>
        <dd>{sent === null ? 'all' : sent.map(wordsOfType).join(', ')}</dd>
        <dt>Events</dt>
        <dd>{events === null ? 'any' : <Text text={events.join(', ')} />}</dd>
        <dt>Segments</dt>
        <dd>
          {segments === null
            ? 'any'
            : segments.map((segment) => (
                <span key={segment}>
                  <SegmentName segment={segment} />{' '}
                </span>
              ))}
        </dd>
        <dt>Person</dt>
        <dd>{entity === null ? 'any' : <code>{entity}</code>}</dd>
        <dt>Profile</dt>
        <dd>{profile ? 'sent with each fact' : 'not sent'}</dd>
      </dl>
    </Card>
  )
}
