import type { ComponentChildren, JSX } from 'preact'
import type { PastQuery, Profile } from '../../client/dossier.js'
import { Chip } from '../parts/chip.js'
import { Text } from '../parts/id.js'
import { counted } from '../parts/numbers.js'
import { PageHead } from '../parts/page-head.js'
import { Created } from '../parts/recorded.js'
import { When } from '../parts/when.js'
import { isPast } from './past.js'

interface Props {
  readonly id: string
  readonly profile: Profile | undefined
  readonly past: PastQuery
  readonly children?: ComponentChildren
}

/** The head of a person's page: the id, the time of creation, and the last event. */
export function PersonHead({ id, profile, past, children }: Props): JSX.Element {
  return (
    <PageHead
      title={<Text text={id} />}
      mark={
        isPast(past) && (
          <Chip tone="warn" icon="clock">
            {past.as_of === undefined ? (
              'as known at a time'
            ) : (
              <>
                as of <When at={past.as_of} plain />
              </>
            )}
          </Chip>
        )
      }
      sub={
        profile !== undefined && (
          <>
            created <Created occurred={profile.created_at} recorded={profile.recorded_at} /> ·{' '}
            {profile.last_event_at === null ? (
              'no events'
            ) : (
              <>
                last event <When at={profile.last_event_at} plain={isPast(past)} /> ·{' '}
                {counted(profile.event_count, 'event')}
              </>
            )}
          </>
        )
      }
    >
      {children}
    </PageHead>
  )
}
