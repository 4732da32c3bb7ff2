import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { addressOf } from '../frame/route.js'
import { Button } from '../parts/button.js'
import { Person, SegmentName, Text } from '../parts/id.js'
import { shownNumber } from '../parts/numbers.js'
import { ValueLine } from '../parts/value-line.js'
import { visibleLines } from '../parts/visible.js'
import { When } from '../parts/when.js'
import type { FactLine } from './fact-words.js'
import type { Row } from './facts-stream.js'

/** The row of one fact. Opening the row shows the fact's data as JSON. */
export function FactRow({ row }: { row: Row }): JSX.Element {
  const [isOpen, setOpen] = useState(false)
  const { line, position, requestId, text, rest } = row
  return (
    <>
      <tr title={`position ${position}`}>
        <td class="muted">{line.at !== undefined && <When at={line.at} clock="seconds" />}</td>
        <td>
          <Whose line={line} />
        </td>
        <td class="data">
          <FactWords line={line} />
        </td>
        <td class="hide-s">
          <code class="muted">{requestId}</code>
        </td>
        <td>
          <Button
            look="quiet"
            icon={isOpen ? 'up' : 'more'}
            label={isOpen ? 'Hide the JSON' : 'Show the JSON'}
            onClick={() => {
              setOpen(!isOpen)
            }}
          />
        </td>
      </tr>
      {isOpen && (
        <tr class="opened">
          <td colSpan={5}>
            <pre>
              <bdi>{visibleLines(text)}</bdi>
              {rest > 0 && ` … ${shownNumber(rest)} characters more`}
            </pre>
          </td>
        </tr>
      )}
    </>
  )
}

/** Describes the event or change of a fact in words. */
export function FactWords({ line }: { line: FactLine }): JSX.Element {
  return (
    <>
      {line.name === undefined ? (
        <b>{line.words}</b>
      ) : (
        <b>
          {line.isVoid && 'voided: '}
          <Text text={line.name} />
        </b>
      )}{' '}
      {line.segment !== undefined && <SegmentName segment={line.segment} />}{' '}
      <ValueLine words={line.values} />
    </>
  )
}

/** A link to the person of a fact. If the fact contains only the entity id, the link searches for this id. */
export function Whose({ line }: { line: FactLine }): JSX.Element | null {
  if (line.person !== undefined) return <Person id={line.person} />
  if (line.entityId === undefined) return null
  return (
    <a href={addressOf(['people'], { q: line.entityId })} title={line.entityId}>
      {line.entityId.slice(-8)}
    </a>
  )
}
