import type { JSX } from 'preact'
import { CreatePerson } from '../by-hand/create-person.js'
import { ErasedNote } from '../erasures/erased-note.js'
import { useErasedAt } from '../erasures/use-erased-at.js'
import { Text } from '../parts/id.js'
import { PageHead } from '../parts/page-head.js'
import { Skeleton } from '../parts/skeleton.js'

interface Props {
  readonly id: string
  readonly onCreated: () => void
}

/** Replaces the page of a person when nobody has the id. Says that the id was erased, or offers to create a person. */
export function Away({ id, onCreated }: Props): JSX.Element {
  const { isKnown, at } = useErasedAt(id)
  return (
    <>
      <PageHead title={<Text text={id} />} />
      {!isKnown && <Skeleton rows={1} />}
      {at !== undefined && <ErasedNote at={at} />}
      {isKnown && at === undefined && (
        <section class="card">
          <CreatePerson id={id} onDone={onCreated} />
        </section>
      )}
    </>
  )
}
