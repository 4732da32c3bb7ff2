import type { JSX } from 'preact'
import { CreatePerson } from '../by-hand/create-person.js'
import { Text } from '../parts/id.js'
import { PageHead } from '../parts/page-head.js'

interface Props {
  readonly id: string
  readonly onCreated: () => void
}

/** An id that nobody has. */
export function Away({ id, onCreated }: Props): JSX.Element {
  return (
    <>
      <PageHead title={<Text text={id} />} />
      <section class="card">
        <CreatePerson id={id} onDone={onCreated} />
      </section>
    </>
  )
}
