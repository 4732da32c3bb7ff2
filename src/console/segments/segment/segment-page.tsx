import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Segment } from '../../../client/dossier.js'
import { addressOf, go } from '../../frame/route.js'
import { useSession } from '../../frame/session.js'
import { PageHead } from '../../parts/page-head.js'
import { Skeleton } from '../../parts/skeleton.js'
import { Trouble } from '../../parts/trouble.js'
import { useAnswer } from '../../parts/use-answer.js'
import { LeaveQuestion } from '../draft/leave-question.js'
import { useDraft } from '../draft/use-draft.js'
import { useLeaveGuard } from '../draft/use-leave-guard.js'
import { useSave } from '../draft/use-save.js'
import { SegmentHead } from './segment-head.js'
import { SegmentTabs } from './segment-tabs.js'
import { VersionsTab } from './versions-tab.js'

interface Props {
  readonly segment: string
  /** The selected tab. Empty for the rule. */
  readonly tab: string
}

/** The page of one segment: its rule, its members, their entries and exits, and earlier versions. */
export function SegmentPage({ segment: key, tab }: Props): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(['segment', key], (signal) =>
    client.segments.get(key, { signal }),
  )
  const isGone = error?.code === 'segment_not_found'
  return (
    <>
      {value === undefined && (
        <PageHead title={key} path={<a href={addressOf(['segments'])}>Segments</a>} />
      )}
      <Trouble error={error} />
      {value === undefined && !isGone && error === undefined && <Skeleton />}
      {value === undefined && isGone && <VersionsTab segment={key} />}
      {value !== undefined && <Loaded segment={value} tab={tab} />}
    </>
  )
}

function Loaded({ segment, tab }: { segment: Segment; tab: string }): JSX.Element {
  const { answers } = useSession()
  const edited = useDraft({ base: segment })
  const guard = useLeaveGuard(edited.isUnsaved, addressOf(['segments', segment.key]))
  const save = useSave(edited.draft, (saved) => {
    edited.change({ base: saved })
    answers.refresh()
  })
  const [isNaming, setNaming] = useState(false)
  const rename = () => {
    setNaming(true)
    go(addressOf(['segments', segment.key]))
  }
  return (
    <>
      <SegmentHead segment={segment} tab={tab} edited={edited} save={save} rename={rename} />
      <SegmentTabs segment={segment} tab={tab} edited={edited} save={save} isNaming={isNaming} />
      <LeaveQuestion guard={guard} discard={edited.discard} />
    </>
  )
}
