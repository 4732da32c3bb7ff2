import type { JSX } from 'preact'
import type { DictionaryEvent } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { Text } from '../parts/id.js'
import { shownNumber } from '../parts/numbers.js'
import { PageHead } from '../parts/page-head.js'
import { PropertyTable } from './property-table.js'
import { RuleLink } from './rule-link.js'

/** The details of one event name, with all properties of its events. */
export function EventDetails({ event }: { event: DictionaryEvent }): JSX.Element {
  const { name, count, first_day: first, last_day: last, properties } = event
  return (
    <>
      <PageHead
        path={<a href={addressOf(['data'])}>Data</a>}
        title={<Text text={name} />}
        sub={`${shownNumber(count)} events, from ${first} to ${last} (UTC)`}
      >
        <RuleLink event={name} />
      </PageHead>
      <Card title="Properties" note={shownNumber(properties.length)}>
        {properties.length === 0 ? (
          <p class="sub">These events have no properties.</p>
        ) : (
          <PropertyTable properties={properties} event={name} of="events" />
        )}
      </Card>
    </>
  )
}
