import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Route } from '../frame/route.js'
import { Button } from '../parts/button.js'
import { literal } from '../parts/calls.js'
import { Chip, type Tone } from '../parts/chip.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Empty } from '../parts/empty.js'
import { PageHead } from '../parts/page-head.js'
import { Skeleton } from '../parts/skeleton.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { useZone } from '../parts/when.js'
import { FactRow } from './fact-row.js'
import { useFacts, type FactsStream } from './facts-stream.js'
import { LiveFilter } from './live-filter.js'
import './live.css'

const states: Readonly<Record<FactsStream['state'], readonly [words: string, tone: Tone]>> = {
  paused: ['paused: continues without a gap', 'plain'],
  connecting: ['connecting …', 'plain'],
  'catching up': ['catching up …', 'plain'],
  live: ['live', 'good'],
  broken: ['connection lost: trying again, without a gap', 'warn'],
}

/** The page of facts as the service stores them. */
export function Live(route: Route): JSX.Element {
  const type = route.query.get('type') ?? ''
  const person = route.query.get('person') ?? ''
  const zone = useZone()
  const [isPaused, setPaused] = useState(false)
  const { rows, state, error } = useFacts({ type, person }, isPaused)
  const [words, tone] = states[state]
  return (
    <>
      <PageHead
        title="Live"
        mark={
          <span role="status">
            {error === undefined && (
              <Chip tone={tone} icon={tone === 'good' ? 'dot' : 'clock'}>
                {words}
              </Chip>
            )}
          </span>
        }
        sub="Facts in the order in which the service stores them, the newest first"
      >
        <CopyMenu
          call={{
            path: `/facts?${new URLSearchParams({ ...(type !== '' && { types: type }), ...(person !== '' && { entity: person }) }).toString()}`,
            headers: { Accept: 'text/event-stream' },
            code: `for await (const fact of dossier.facts(${literal({ after: 'now', ...(type !== '' && { types: [type] }), ...(person !== '' && { entity: person }) })})) console.log(fact)`,
          }}
        />
        <Button
          look="primary"
          icon={isPaused ? 'play' : 'pause'}
          onClick={() => {
            setPaused(!isPaused)
          }}
        >
          {isPaused ? 'Continue' : 'Pause'}
        </Button>
      </PageHead>
      <section class="card">
        <LiveFilter route={route} type={type} person={person} />
        <Trouble error={error} />
        {rows.length > 0 && (
          <Table
            heads={[
              `Time (${zone})`,
              'Person',
              'What',
              <th key="request" class="hide-s">
                Request
              </th>,
              'JSON',
            ]}
          >
            {rows.map((row) => (
              <FactRow key={row.id} row={row} />
            ))}
          </Table>
        )}
        {rows.length === 0 && error === undefined && state !== 'live' && state !== 'paused' && (
          <Skeleton rows={8} />
        )}
        {rows.length === 0 && state === 'live' && (
          <Empty title="None of the newest facts match" icon="activity">
            <p>New facts appear here as the service stores them.</p>
          </Empty>
        )}
      </section>
    </>
  )
}
