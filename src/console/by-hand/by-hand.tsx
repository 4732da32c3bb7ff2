import type { JSX } from 'preact'
import { EraseForm } from '../erasures/erase-form.js'
import { ChangeForm } from './change-form.js'
import { MemberForm } from './member-form.js'
import { RecordForm } from './record-form.js'

/** What can be written about somebody from here. */
export function ByHand({ id, onDone }: { id: string; onDone: () => void }): JSX.Element {
  return (
    <section>
      <h2>By hand</h2>
      <div class="cols">
        <RecordForm id={id} onDone={onDone} />
        <ChangeForm id={id} onDone={onDone} />
        <MemberForm person={id} onDone={onDone} />
        <EraseForm id={id} />
      </div>
    </section>
  )
}
