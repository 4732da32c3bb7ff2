import type { JSX } from 'preact'
import { addressOf, go } from '../../frame/route.js'
import { useScope } from '../../frame/session.js'
import { Button } from '../../parts/button.js'
import { Card } from '../../parts/card.js'
import { CopyMenu } from '../../parts/copy-menu.js'
import { NumHead } from '../../parts/num-head.js'
import { PageHead } from '../../parts/page-head.js'
import { Skeleton } from '../../parts/skeleton.js'
import { Table } from '../../parts/table.js'
import { Trouble } from '../../parts/trouble.js'
import { oftenMs } from '../../parts/use-answer.js'
import { useSegments } from '../../parts/use-segments.js'
import { storedDraftNames } from '../draft/stored-drafts.js'
import { NoSegment } from './no-segment.js'
import { SegmentRow } from './segment-row.js'
import { UnsavedRules } from './unsaved-rules.js'

/** A list of all segments: the number of members, its course over the last month, and the last change. */
export function SegmentList(): JSX.Element {
  const { value, error } = useSegments(oftenMs)
  const maySave = useScope('segments')
  const unsaved = storedDraftNames()
  return (
    <>
      <PageHead title="Segments">
        <CopyMenu call={{ path: '/segments', code: 'await dossier.segments.list().all()' }} />
        <Button
          look="primary"
          icon="plus"
          onClick={() => {
            go(addressOf(['segments', '+']))
          }}
        >
          {maySave ? 'New segment' : 'Try a rule'}
        </Button>
      </PageHead>
      <Trouble error={error} />
      <UnsavedRules names={unsaved.filter((name) => name.startsWith('+'))} />
      <Card title="All segments">
        {value === undefined && <Skeleton />}
        {value?.length === 0 && <NoSegment />}
        {value !== undefined && value.length > 0 && (
          <Table
            heads={[
              'Segment',
              <NumHead key="members">Members</NumHead>,
              'Last 30 days',
              <th key="change" class="hide-s">
                Last change
              </th>,
              <th key="state" class="hide-s">
                State
              </th>,
            ]}
          >
            {value.map((segment) => (
              <SegmentRow
                key={segment.key}
                segment={segment}
                isUnsaved={unsaved.includes(segment.key)}
              />
            ))}
          </Table>
        )}
      </Card>
    </>
  )
}
