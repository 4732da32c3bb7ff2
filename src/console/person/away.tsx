import type { JSX } from 'preact'
import type { Profile } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { Empty } from '../parts/empty.js'
import { Text } from '../parts/id.js'
import { PageHead } from '../parts/page-head.js'
import type { Shown } from '../parts/use-answer.js'
import { CreatePerson } from '../by-hand/create-person.js'

/** A person who does not exist, or who was erased. */
export function Away({ id, profile }: { id: string; profile: Shown<Profile> }): JSX.Element {
  const isErased = profile.error?.status === 410
  return (
    <>
      <PageHead title={<Text text={id} />} />
      <Card title={isErased ? 'Erased' : 'Nobody has this id'}>
        {isErased ? (
          <Empty title="This person was erased" icon="trash">
            <p>All facts about them are gone for good, and the id cannot be used again.</p>
            <a href={addressOf(['erasures'])}>Look at the receipts of erasures</a>
          </Empty>
        ) : (
          <CreatePerson id={id} onDone={profile.reload} />
        )}
      </Card>
    </>
  )
}
