import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { withQuery as pathWith } from '../../client/requests.js'
import { addressOf, type Route } from '../frame/route.js'
import { literal } from '../parts/calls.js'
import { Card } from '../parts/card.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Empty } from '../parts/empty.js'
import { PageHead } from '../parts/page-head.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { HitTable } from './hit-table.js'
import { searchQuery } from './look-through.js'
import { lookedWords } from './looked-words.js'
import { PropertyForm } from './property-form.js'
import { StopLink } from './stop-link.js'
import { useLookThrough } from './use-look-through.js'

interface Props {
  readonly route: Route
  readonly property: string
  readonly is: string
}

/** The people who have a value at one of their properties, or at a property of their events with one name. */
export function PropertySearch({ route, property, is }: Props): JSX.Element {
  const event = route.query.get('event') ?? ''
  const place = useMemo(
    () => (event === '' ? { property } : { event, property }),
    [event, property],
  )
  const places = useMemo(() => [place], [place])
  const { found, isBusy, error, stop } = useLookThrough(places, is)
  const hits = found.filter((one) => one.hits.length > 0)
  const query = searchQuery(place, is)
  return (
    <>
      <PageHead title="People" sub={<a href={addressOf(['people'])}>All people</a>}>
        <CopyMenu
          call={{
            path: pathWith('/search/entities', { ...query }),
            headers: { Accept: 'text/event-stream' },
            code: `const { items, complete } = await dossier.entities.search(${literal(query)}).found()`,
          }}
        />
      </PageHead>
      <Card
        title="Found by a property"
        note={lookedWords(found, isBusy)}
        aside={isBusy && <StopLink stop={stop} />}
      >
        <div class="filters">
          <PropertyForm place={place} is={is} />
        </div>
        <Trouble error={error} />
        {hits.length > 0 && <HitTable found={hits} />}
        {hits.length === 0 && isBusy && <Skeleton />}
        {hits.length === 0 && !isBusy && error === undefined && (
          <Empty title="Nobody has this value" icon="search">
            <p>A value must match in every character.</p>
          </Empty>
        )}
      </Card>
    </>
  )
}
