import type { JSX } from 'preact'
import type { Dictionary } from '../../client/dossier.js'
import { addressOf, type Route } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Empty } from '../parts/empty.js'
import { shownNumber } from '../parts/numbers.js'
import { PageHead } from '../parts/page-head.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { useDictionary } from '../parts/use-dictionary.js'
import { EventDetails } from './event-details.js'
import { EventTable } from './event-table.js'
import { PropertyTable } from './property-table.js'
import './dictionary.css'

/** The page of all recorded names: events, their properties, and properties of people. */
export function DictionaryPage({ parts }: Route): JSX.Element {
  const { value, error } = useDictionary()
  const [, name] = parts
  const event = value?.events.find((one) => one.name === name)
  if (event !== undefined) return <EventDetails event={event} />
  return (
    <>
      <PageHead
        title="Data"
        sub="The names of events and properties that your programs have sent. Names and types only, never a value"
      >
        <CopyMenu call={{ path: '/dictionary', code: 'await dossier.dictionary()' }} />
      </PageHead>
      <Trouble error={error} />
      {name !== undefined && value !== undefined && (
        <p class="trouble passing">
          <span>
            No event has the name <bdi>{name}</bdi>. <a href={addressOf(['data'])}>Show all</a>
          </span>
        </p>
      )}
      {value !== undefined && <Names dictionary={value} />}
      {value === undefined && error === undefined && (
        <Card title="Events">
          <Skeleton />
        </Card>
      )}
    </>
  )
}

function Names({ dictionary }: { dictionary: Dictionary }): JSX.Element {
  const { events, properties, complete } = dictionary
  return (
    <>
      {!complete && (
        <p class="trouble passing">
          Some names are missing: there are too many, or the service is counting again.
        </p>
      )}
      <Card title="Events" note={shownNumber(events.length)}>
        {events.length === 0 ? (
          <Empty title="No event was recorded yet" icon="data">
            <a href={addressOf(['people'])}>Record one on the page of a person</a>
          </Empty>
        ) : (
          <EventTable events={events} />
        )}
      </Card>
      <Card title="Properties of people" note={shownNumber(properties.length)}>
        {properties.length === 0 ? (
          <p class="sub">Nobody has a property yet.</p>
        ) : (
          <PropertyTable properties={properties} of="people" />
        )}
      </Card>
    </>
  )
}
