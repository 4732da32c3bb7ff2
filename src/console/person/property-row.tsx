import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../parts/button.js'
import { Text } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { lateMs } from '../parts/times.js'
import { cut } from '../parts/visible.js'
import { When } from '../parts/when.js'
import { PropertyEdit } from './property-edit.js'
import type { PropertyChange } from './property-history.js'

interface Props {
  readonly id: string
  readonly name: string
  readonly value: unknown
  /** The change that set the value. Undefined when the change is older than the loaded history. */
  readonly change: PropertyChange | undefined
  readonly isEditable: boolean
}

/** The name of a property, its value, and when it was set. */
export function PropertyRow({ id, name, value, change, isEditable }: Props): JSX.Element {
  const [isEditing, setEditing] = useState(false)
  return (
    <div class="property">
      <span class="soft">
        <Text text={name} />
      </span>
      {isEditing ? (
        <PropertyEdit
          id={id}
          name={name}
          value={value}
          setAt={change?.at}
          close={() => {
            setEditing(false)
          }}
        />
      ) : (
        <span class="value">
          <Value value={value} />
          {isEditable && (
            <Button
              look="quiet"
              icon="edit"
              label={`Edit ${name}`}
              onClick={() => {
                setEditing(true)
              }}
            />
          )}
        </span>
      )}
      {!isEditing && change !== undefined && (
        <small class="muted">
          <When at={change.at} />
          {lateMs(change.at, change.recordedAt) > 0 && (
            <span class="line">
              recorded <When at={change.recordedAt} />
            </span>
          )}
        </small>
      )}
    </div>
  )
}

const textAtMost = 200

function Value({ value }: { value: unknown }): JSX.Element {
  if (typeof value === 'string' && cut(value, textAtMost).rest === 0 && value !== '')
    return <Text text={value} />
  return <Json value={value} inLine />
}
