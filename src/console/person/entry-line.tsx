import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Icon } from '../parts/icon.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { agoWords } from '../parts/times.js'
import { ValueLine } from '../parts/value-line.js'
import { valueWords } from '../parts/value-words.js'
import { When } from '../parts/when.js'
import type { Entry } from './entries.js'
import { lateMs } from './marks.js'

interface Props {
  readonly entry: Entry
  readonly person: string
  readonly pickedFact: string | undefined
}

/** One line of the timeline. */
export function EntryLine({ entry, person, pickedFact }: Props): JSX.Element {
  if (entry.kind === 'entered') {
    return (
      <div class="entry">
        <When at={entry.at} clock="minutes" />
        <span>
          entered{' '}
          <a class="chip accent" href={addressOf(['people', person, 'why', entry.segment])}>
            {entry.segment}
          </a>
        </span>
      </div>
    )
  }
  if (entry.kind === 'change') {
    const { change } = entry
    return (
      <Opened at={entry.at} raw={change} isPicked={change.fact_id === pickedFact}>
        <ChangeWords change={change} />
      </Opened>
    )
  }
  const { event } = entry
  return (
    <Opened at={entry.at} raw={event} isPicked={event.id === pickedFact}>
      <b>
        <Text text={event.name} />
      </b>{' '}
      <ValueLine words={valueWords(event.properties)} />
      <Late event={event} />
    </Opened>
  )
}

function Late({ event }: { event: ListedEvent }): JSX.Element | null {
  const late = lateMs(event.occurred_at, event.timestamp)
  if (late === 0) return null
  return (
    <small class="muted" title={event.timestamp}>
      {' '}
      recorded {agoWords(late)} later
    </small>
  )
}

function ChangeWords({ change }: { change: HistoryEntry }): JSX.Element {
  const isCreation = Object.keys(change.set).length === 0 && change.unset.length === 0
  if (isCreation) return <>created</>
  return (
    <>
      {Object.keys(change.set).length > 0 && (
        <>
          <b>set</b> <ValueLine words={valueWords(change.set)} />
        </>
      )}
      {change.unset.length > 0 && (
        <>
          {' '}
          <b>removed</b> <Text text={change.unset.join(', ')} />
        </>
      )}
    </>
  )
}

interface OpenedProps {
  readonly at: string
  readonly raw: ListedEvent | HistoryEntry
  readonly isPicked: boolean
  readonly children: JSX.Element | (JSX.Element | string)[]
}

/** A line that opens to the whole fact as JSON. */
function Opened({ at, raw, isPicked, children }: OpenedProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class={isPicked ? 'entry picked' : 'entry'}>
      <When at={at} clock="minutes" />
      <span>{children}</span>
      <button
        type="button"
        class="button quiet square"
        aria-label={isOpen ? 'Hide the JSON' : 'Show the JSON'}
        aria-expanded={isOpen}
        onClick={() => {
          setOpen(!isOpen)
        }}
      >
        <Icon name={isOpen ? 'up' : 'more'} />
      </button>
      {isOpen && <Json value={raw} />}
    </div>
  )
}
