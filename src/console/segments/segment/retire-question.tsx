import type { JSX } from 'preact'
import type { Segment } from '../../../client/dossier.js'
import { addressOf } from '../../frame/route.js'
import { useSession } from '../../frame/session.js'
import { Act } from '../../parts/act.js'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { useSent } from '../../parts/sent.js'
import { Trouble } from '../../parts/trouble.js'
import { goUnasked } from '../draft/use-leave-guard.js'

interface Props {
  readonly segment: Segment
  readonly onClose: () => void
}

/** Asks before a segment is retired. */
export function RetireQuestion({ segment: { key, version }, onClose }: Props): JSX.Element {
  const { client, answers } = useSession()
  const sent = useSent(
    key,
    (options) => client.segments.retire(key, { ...options, ifVersion: version }),
    () => {
      answers.refresh()
      goUnasked(addressOf(['segments']))
    },
  )
  return (
    <Dialog title={`Retire ${key}`} onClose={onClose}>
      <p>A retired segment has no members. Its versions stay, and its key can be used again.</p>
      <Trouble error={sent.error} isSent />
      <div class="row buttons">
        <Act scope="segments" look="danger" isBusy={sent.isBusy} onClick={() => void sent.send()}>
          Retire {key}
        </Act>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  )
}
