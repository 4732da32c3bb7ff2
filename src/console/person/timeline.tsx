import type { JSX } from 'preact'
import type { ListedEvent, PastQuery, Profile } from '../../client/dossier.js'
import { go, withQuery, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Empty } from '../parts/empty.js'
import { counted } from '../parts/numbers.js'
import { Pager } from '../parts/pager.js'
import { Skeleton } from '../parts/skeleton.js'
import { dayName } from '../parts/times.js'
import { Trouble } from '../parts/trouble.js'
import { oftenMs, useAnswer, type Shown } from '../parts/use-answer.js'
import { useZone } from '../parts/when.js'
import { byDay, entriesOf, type Entry } from './entries.js'
import { EntryLine } from './entry-line.js'
import { namesOf } from './marks.js'
import { segmentsAtMost } from './moves.js'
import { isPast } from './past.js'
import { TimelineFilter } from './timeline-filter.js'
import { timelineQuery } from './timeline-query.js'
import type { Changes } from './use-changes.js'
import type { Moves } from './use-moves.js'

interface Props {
  readonly id: string
  readonly route: Route
  readonly past: PastQuery
  readonly profile: Profile | undefined
  /** The events, newest first. If there are many, only some of them. */
  readonly events: readonly ListedEvent[]
  readonly changes: Changes
  readonly moves: Shown<Moves>
}

/** The events, property changes, entries and exits of a person, newest first, grouped by day. */
export function Timeline(props: Props): JSX.Element {
  const { id, route, past, profile, events, changes, moves } = props
  const { client } = useSession()
  const query = timelineQuery(route, past)
  const cursor = route.query.get('cursor') ?? undefined
  const { value, error } = useAnswer(
    ['timeline', id, query, cursor],
    (signal) => client.entities.events(id, query, { signal }).page(cursor),
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
            ? { changes: [], moves: [] }
            : { changes: changes.items, moves: moves.value?.items ?? [] },
        )
  return (
    <Card
      title="Timeline"
      note={profile === undefined ? undefined : counted(profile.event_count, 'event')}
      aside={<TimelineFilter route={route} names={namesOf(events)} />}
    >
      <Trouble error={error ?? moves.error} />
      {entries === undefined && error === undefined && <Skeleton />}
      {entries?.length === 0 && <NoEntry route={route} isFiltered={isFiltered} />}
      <Days entries={entries ?? []} shown={props} />
      <Pager route={route} next={value?.next_cursor} />
      {moves.value?.isCut === true && (
        <p class="note">
          Enters and leaves of the first {segmentsAtMost} segments are shown. The others are in the
          menu “Why in a segment?”.
        </p>
      )}
      <UntilNote route={route} />
    </Card>
  )
}

interface DaysProps {
  readonly entries: readonly Entry[]
  readonly shown: Props
}

/** The entries, grouped by day. */
function Days({ entries, shown }: DaysProps): JSX.Element {
  const { id, route, past, profile, changes } = shown
  const zone = useZone()
  return (
    <>
      {byDay(entries, (at) => dayName(at, zone)).map(({ day, entries: its }) => (
        <section key={day}>
          <h3 class="day">{day}</h3>
          {its.map((entry, at) => (
            <EntryLine
              key={`${entry.kind} ${entry.at} ${String(at)}`}
              entry={entry}
              person={id}
              creation={profile?.entity_id}
              lost={changes.lost}
              isVoidable={!isPast(past)}
              pickedFact={route.query.get('fact') ?? undefined}
            />
          ))}
        </section>
      ))}
    </>
  )
}

function NoEntry({ route, isFiltered }: { route: Route; isFiltered: boolean }): JSX.Element {
  return (
    <Empty title={isFiltered ? 'No such event' : 'Nothing had happened yet'} icon="clock">
      {(route.query.has('until') || isFiltered) && (
        <a href={withQuery(route, { name: undefined, until: undefined, cursor: undefined })}>
          Show all events
        </a>
      )}
    </Empty>
  )
}

/** Says that newer events exist, if the address excludes them. */
function UntilNote({ route }: { route: Route }): JSX.Element | null {
  if (!route.query.has('until')) return null
  return (
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
  )
}
