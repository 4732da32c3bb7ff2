import type { JSX } from 'preact'
import type { HistoryEntry, ListedEvent, PastQuery } from '../../client/dossier.js'
import { go, withQuery, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Empty } from '../parts/empty.js'
import { counted } from '../parts/numbers.js'
import { Pager } from '../parts/pager.js'
import { Skeleton } from '../parts/skeleton.js'
import { dayName } from '../parts/times.js'
import { Trouble } from '../parts/trouble.js'
import { oftenMs, useAnswer } from '../parts/use-answer.js'
import { useZone } from '../parts/when.js'
import { byDay, entriesOf } from './entries.js'
import { EntryLine } from './entry-line.js'
import { namesOf } from './marks.js'
import { changesKnown, isPast, knownPage } from './past.js'
import { TimelineFilter } from './timeline-filter.js'
import { timelineQuery } from './timeline-query.js'

interface Props {
  readonly id: string
  readonly route: Route
  readonly past: PastQuery
  readonly eventCount: number | undefined
  /** Newest first; only some of them when there are many. */
  readonly facts: {
    readonly events: readonly ListedEvent[]
    readonly changes: readonly HistoryEntry[]
  }
  readonly memberships: readonly { readonly key: string; readonly since: string }[]
}

/** The events and changes of a person, newest first, under the names of the days. */
export function Timeline(props: Props): JSX.Element {
  const { id, route, past, facts, memberships, eventCount } = props
  const { client } = useSession()
  const zone = useZone()
  const query = timelineQuery(route, past)
  const cursor = route.query.get('cursor') ?? undefined
  const { value, error } = useAnswer(
    ['timeline', id, query, cursor, past.known_at],
    (signal) => knownPage(client.entities.events(id, query, { signal }), past, cursor),
    isPast(past) ? 0 : oftenMs,
  )
  const isFiltered = query.name !== undefined
  const entries =
    value === undefined
      ? undefined
      : entriesOf(
          {
            events: value.items,
            by: query.by ?? 'occurred',
            isFirst: cursor === undefined && !route.query.has('until'),
            isLast: value.next_cursor === null,
          },
          isFiltered
            ? { changes: [], memberships: [] }
            : {
                changes: changesKnown(facts.changes, past),
                memberships: isPast(past) ? [] : memberships,
              },
        )
  return (
    <Card
      title="Timeline"
      note={eventCount === undefined ? undefined : counted(eventCount, 'event')}
      aside={<TimelineFilter route={route} names={namesOf(facts.events)} />}
    >
      <Trouble error={error} />
      {entries === undefined && error === undefined && <Skeleton />}
      {entries?.length === 0 && (
        <Empty title={isFiltered ? 'No such event' : 'Nothing had happened yet'} icon="clock">
          {(route.query.has('until') || isFiltered) && (
            <a href={withQuery(route, { name: undefined, until: undefined, cursor: undefined })}>
              Show all events
            </a>
          )}
        </Empty>
      )}
      {byDay(entries ?? [], (at) => dayName(at, zone)).map(({ day, entries: its }) => (
        <section key={day}>
          <h3 class="day">{day}</h3>
          {its.map((entry, at) => (
            <EntryLine
              key={`${entry.kind} ${entry.at} ${String(at)}`}
              entry={entry}
              person={id}
              pickedFact={route.query.get('fact') ?? undefined}
            />
          ))}
        </section>
      ))}
      <Pager route={route} next={value?.next_cursor} />
      {route.query.has('until') && (
        <p class="note">
          Older than the chosen fact.{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              go(withQuery(route, { until: undefined, fact: undefined, cursor: undefined }))
            }}
          >
            Show all events
          </button>
        </p>
      )}
    </Card>
  )
}
