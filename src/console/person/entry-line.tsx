import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { HistoryEntry, ListedEvent } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Chip } from '../parts/chip.js'
import { Icon } from '../parts/icon.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { RecordedLater } from '../parts/recorded.js'
import { ValueLine } from '../parts/value-line.js'
import { valueWords } from '../parts/value-words.js'
import { When } from '../parts/when.js'
import { causeWords } from '../why/causes.js'
import type { Entry } from './entries.js'
import type { Move } from './moves.js'
import type { LostNames } from './property-history.js'
import { VoidButton } from './void-button.js'

interface Props {
  readonly entry: Entry
  readonly person: string
  /** The id of the fact that created the person. Undefined when it is not known. */
  readonly creation: string | undefined
  /** The properties that each change left unchanged, by the id of the change's fact. */
  readonly lost: LostNames
  readonly pickedFact: string | undefined
  /** Whether the line has a button that voids its event. */
  readonly isVoidable: boolean
}

/** One line of the timeline. */
export function EntryLine(props: Props): JSX.Element {
  const { entry, person, creation, lost, pickedFact, isVoidable } = props
  if (entry.kind === 'move') return <MoveLine person={person} move={entry.move} />
  if (entry.kind === 'change') {
    const { change } = entry
    return (
      <Opened at={entry.at} raw={change} isPicked={change.fact_id === pickedFact}>
        <ChangeWords change={change} isCreation={change.fact_id === creation} />
        <RecordedLater occurred={change.occurred_at} recorded={change.changed_at} />
        <LostWords names={lost[change.fact_id] ?? []} />
      </Opened>
    )
  }
  const { event } = entry
  return (
    <Opened
      at={entry.at}
      raw={event}
      isPicked={event.id === pickedFact}
      further={isVoidable && <VoidButton person={person} event={event} />}
    >
      {event.voided_at === undefined ? (
        <b>
          <Text text={event.name} />
        </b>
      ) : (
        <>
          <s>
            <Text text={event.name} />
          </s>{' '}
          <Chip tone="warn">voided</Chip>
        </>
      )}{' '}
      <ValueLine words={valueWords(event.properties)} />
      <RecordedLater occurred={event.occurred_at} recorded={event.timestamp} />
      <VoidWords event={event} />
    </Opened>
  )
}

/** When an event was voided, and why. Nothing for an event that counts. */
function VoidWords({ event }: { event: ListedEvent }): JSX.Element | null {
  const { voided_at: at, void_reason: reason } = event
  if (at === undefined) return null
  return (
    <small class="void">
      Voided <When at={at} plain />
      {reason === undefined ? (
        ', without a reason'
      ) : (
        <>
          : <Text text={reason} />
        </>
      )}
    </small>
  )
}

function MoveLine({ person, move }: { person: string; move: Move }): JSX.Element {
  return (
    <div class="entry">
      <When at={move.at} clock="minutes" />
      <span>
        {move.kind}{' '}
        <a
          class={move.kind === 'entered' ? 'chip accent' : 'chip'}
          href={addressOf(['people', person, 'why', move.segment])}
        >
          {move.segment}
        </a>{' '}
        <small class="muted">· {causeWords(move.cause)}</small>
      </span>
    </div>
  )
}

interface ChangeProps {
  readonly change: HistoryEntry
  readonly isCreation: boolean
}

function ChangeWords({ change: { set, unset }, isCreation }: ChangeProps): JSX.Element {
  const hasSet = Object.keys(set).length > 0
  return (
    <>
      {isCreation && <b>created{hasSet && ','} </b>}
      {hasSet && (
        <>
          <b>set</b> <ValueLine words={valueWords(set)} />
        </>
      )}
      {unset.length > 0 && (
        <>
          {' '}
          <b>removed</b> <Text text={unset.join(', ')} />
        </>
      )}
      {!isCreation && !hasSet && unset.length === 0 && 'changed nothing'}
    </>
  )
}

function LostWords({ names }: { names: readonly string[] }): JSX.Element | null {
  if (names.length === 0) return null
  return (
    <small class="muted">
      {' · '}too late for <Text text={names.join(', ')} />: a newer change stays in force
    </small>
  )
}

interface OpenedProps {
  readonly at: string
  readonly raw: ListedEvent | HistoryEntry
  readonly isPicked: boolean
  /** An additional button of the line. */
  readonly further?: JSX.Element | false
  readonly children: JSX.Element | (JSX.Element | string)[]
}

/** A line that opens to the whole fact as JSON. */
function Opened({ at, raw, isPicked, further, children }: OpenedProps): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  return (
    <div class={isPicked ? 'entry picked' : 'entry'}>
      <When at={at} clock="minutes" />
      <span>{children}</span>
      <span class="entry-buttons">
        {further}
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
      </span>
      {isOpen && <Json value={raw} />}
    </div>
  )
}
