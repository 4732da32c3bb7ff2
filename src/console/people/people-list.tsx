import type { JSX } from 'preact'
import { withQuery as pathWith } from '../../client/requests.js'
import { withQuery, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { useTotals } from '../overview/use-totals.js'
import { Card } from '../parts/card.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { literal } from '../parts/calls.js'
import { Empty } from '../parts/empty.js'
import { shownNumber } from '../parts/numbers.js'
import { PageHead } from '../parts/page-head.js'
import { Pager } from '../parts/pager.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { useAnswer } from '../parts/use-answer.js'
import { useDictionary } from '../parts/use-dictionary.js'
import { ColumnPicker } from './column-picker.js'
import { columnsIn } from './columns.js'
import { isByCreation, listQuery } from './list-query.js'
import { NewPerson } from './new-person.js'
import { Nobody } from './nobody.js'
import { PeopleFilters } from './people-filters.js'
import { PeopleTable } from './people-table.js'

/** A list of people, by their last events, by creation, or by the beginning of their ids. */
export function PeopleList(route: Route): JSX.Element {
  const { client } = useSession()
  const { query } = route
  const dictionary = useDictionary()
  const known = dictionary.value?.properties ?? []
  const columns = columnsIn(query, known)
  const page = listQuery(query, columns)
  const cursor = query.get('cursor') ?? undefined
  const isReady = dictionary.value !== undefined || dictionary.error !== undefined
  const people = useAnswer(['people', isReady, page, cursor], async (signal) => {
    if (!isReady) return undefined
    return client.entities.list(page, { signal }).page(cursor)
  })
  const { value } = people
  const isFiltered = query.has('starts_with')
  const isCut =
    value?.items.length === page.limit && page.order === 'last_event' && !query.has('all')
  return (
    <>
      <PageHead title="People" sub={<HowMany />}>
        <CopyMenu
          call={{
            path: pathWith('/entities', { ...page, cursor }),
            code: `const { items, next_cursor } = await dossier.entities.list(${literal({ ...page, cursor })}).page()`,
          }}
        />
        <NewPerson />
      </PageHead>
      <Card
        title={isByCreation(query) || isFiltered ? 'By creation' : 'Recently seen'}
        aside={<ColumnPicker route={route} known={known} columns={columns} />}
      >
        <PeopleFilters key={query.toString()} route={route} />
        <Trouble error={people.error} />
        {value === undefined && people.error === undefined && <Skeleton rows={8} />}
        {value !== undefined && value.items.length > 0 && (
          <PeopleTable items={value.items} columns={columns} />
        )}
        {value?.items.length === 0 && (isFiltered ? <NoneBegins /> : <Nobody route={route} />)}
        <Pager route={route} next={value?.next_cursor} />
        {isCut && (
          <p class="note">
            <a href={withQuery(route, { all: '1' })}>Show the 1 000 latest</a>
          </p>
        )}
      </Card>
    </>
  )
}

function HowMany(): JSX.Element {
  const { value } = useTotals()
  return <>{value === undefined ? ' ' : `${shownNumber(value.people)} in all`}</>
}

function NoneBegins(): JSX.Element {
  return (
    <Empty title="No id begins like this" icon="search">
      <p>Search for a property or an event in the box at the top.</p>
    </Empty>
  )
}
