import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PastQuery, Profile } from '../../client/dossier.js'
import { useScope } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Dialog } from '../parts/dialog.js'
import { Skeleton } from '../parts/skeleton.js'
import { History } from './history.js'
import { NewProperty } from './new-property.js'
import { isPast } from './past.js'
import { propertyHistory } from './property-history.js'
import { PropertyRow } from './property-row.js'
import type { Changes } from './use-changes.js'

interface Props {
  readonly id: string
  readonly profile: Profile | undefined
  readonly changes: Changes
  readonly past: PastQuery
}

/** The properties of a person. Each property has the time of its last change, and an editor. */
export function Properties({ id, profile, changes, past }: Props): JSX.Element {
  const hasScope = useScope('write')
  const mayWrite = hasScope && !isPast(past)
  const [opened, setOpened] = useState<'history' | 'new'>()
  const close = () => {
    setOpened(undefined)
  }
  const history = propertyHistory(changes.items, changes.lost)
  const names = Object.keys(profile?.properties ?? {})
  return (
    <Card
      title="Properties"
      aside={
        <span class="row">
          {mayWrite && (
            <button
              type="button"
              class="link"
              onClick={() => {
                setOpened('new')
              }}
            >
              Add
            </button>
          )}
          <button
            type="button"
            class="link"
            onClick={() => {
              setOpened('history')
            }}
          >
            History
          </button>
        </span>
      }
    >
      {profile === undefined && <Skeleton rows={3} />}
      {profile !== undefined && names.length === 0 && <p class="sub">No properties.</p>}
      <div class="properties">
        {names.map((name) => (
          <PropertyRow
            key={name}
            id={id}
            name={name}
            value={profile?.properties[name]}
            change={history.get(name)?.[0]}
            isEditable={mayWrite}
          />
        ))}
      </div>
      {profile !== undefined && (
        <p class="note">
          Entity id <code>{profile.entity_id}</code>
          {!hasScope && ' · This key may only read, so the page has no forms.'}
        </p>
      )}
      {opened === 'new' && <NewProperty id={id} onClose={close} />}
      {opened === 'history' && (
        <Dialog title="History of properties" isBroad onClose={close}>
          <History changes={changes} />
        </Dialog>
      )}
    </Card>
  )
}
