import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PastQuery } from '../../client/dossier.js'
import { step, withQuery } from '../../client/requests.js'
import { EraseDialog } from '../erasures/erase-dialog.js'
import { addressOf } from '../frame/route.js'
import { useScope } from '../frame/session.js'
import { Button } from '../parts/button.js'
import { literal } from '../parts/calls.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { Dialog } from '../parts/dialog.js'
import { Menu, MenuItem } from '../parts/menu.js'
import { MemberForm } from '../by-hand/member-form.js'
import { isPast } from './past.js'
import { RecordForm } from '../by-hand/record-form.js'
import { WhyPicker } from './why-picker.js'

interface Props {
  readonly id: string
  readonly past: PastQuery
  readonly reload: () => void
}

type Opened = 'record' | 'member' | 'erase'

/** The buttons and menus that act on a person. */
export function PersonActions({ id, past, reload }: Props): JSX.Element {
  const [mayWrite, mayErase] = [useScope('write'), useScope('erase')]
  const [opened, setOpened] = useState<Opened>()
  const open = (what: Opened) => () => {
    setOpened(what)
  }
  const close = () => {
    setOpened(undefined)
  }
  return (
    <div class="row">
      <CopyMenu
        call={{
          path: withQuery(`/entities/${step(id)}`, { ...past }),
          code: `const person = await dossier.entities.get(${literal(id)}, ${literal(past)})`,
        }}
      />
      {mayWrite && !isPast(past) && <Button onClick={open('record')}>Record an event</Button>}
      {(mayWrite || mayErase) && !isPast(past) && (
        <Menu name={undefined} label="More actions" icon="more">
          {mayWrite && (
            <MenuItem icon="pie" onClick={open('member')}>
              Add to a segment, or remove
            </MenuItem>
          )}
          {mayErase && (
            <MenuItem icon="trash" onClick={open('erase')}>
              Erase this person …
            </MenuItem>
          )}
        </Menu>
      )}
      <WhyPicker to={(segment) => addressOf(['people', id, 'why', segment], { ...past })} />
      {opened === 'record' && (
        <Dialog title="Record an event" onClose={close}>
          <RecordForm id={id} onDone={reload} />
        </Dialog>
      )}
      {opened === 'member' && (
        <Dialog title="Members by hand" onClose={close}>
          <MemberForm person={id} onDone={reload} />
        </Dialog>
      )}
      {opened === 'erase' && <EraseDialog id={id} onClose={close} />}
    </div>
  )
}
