import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Segment } from '../../../client/dossier.js'
import { useScope } from '../../frame/session.js'
import { Menu, MenuItem } from '../../parts/menu.js'
import { RetireQuestion } from './retire-question.js'

interface Props {
  readonly segment: Segment
  readonly rename: () => void
}

/** A menu of rare actions on a segment. */
export function MoreMenu({ segment, rename }: Props): JSX.Element | null {
  const [isAsked, setAsked] = useState(false)
  if (!useScope('segments')) return null
  return (
    <>
      <Menu name="More">
        <MenuItem icon="edit" onClick={rename}>
          Change the title
        </MenuItem>
        <MenuItem
          icon="trash"
          onClick={() => {
            setAsked(true)
          }}
        >
          Retire this segment …
        </MenuItem>
      </Menu>
      {isAsked && (
        <RetireQuestion
          segment={segment}
          onClose={() => {
            setAsked(false)
          }}
        />
      )}
    </>
  )
}
