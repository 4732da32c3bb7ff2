import type { JSX } from 'preact'
import type { Segment } from '../../../client/dossier.js'
import { addressOf } from '../../frame/route.js'
import { useSession } from '../../frame/session.js'
import { Sparkline } from '../../parts/chart/sparkline.js'
import { Chip } from '../../parts/chip.js'
import { Text } from '../../parts/id.js'
import { Num } from '../../parts/num.js'
import { shownNumber } from '../../parts/numbers.js'
import { seldomMs, useAnswer } from '../../parts/use-answer.js'
import { When } from '../../parts/when.js'
import { SegmentState } from '../segment/segment-state.js'

interface Props {
  readonly segment: Segment
  /** Whether this tab has an unsaved rule of the segment. */
  readonly isUnsaved: boolean
}

const dayMs = 86_400_000

/** The row of a segment in the list of segments. */
export function SegmentRow({ segment, isUnsaved }: Props): JSX.Element {
  const { client } = useSession()
  const { key, title, members } = segment
  const curve = useAnswer(
    ['curve', key, 30],
    (signal) => {
      const since = new Date(Date.now() - 30 * dayMs).toISOString().slice(0, 10)
      return client.segments.curve(key, { since }, { signal })
    },
    seldomMs,
  )
  const last = useAnswer(
    ['last change', key],
    async (signal) => (await client.segments.changes(key, { limit: 1 }, { signal }).page()).items,
    seldomMs,
  )
  const values = (curve.value?.items ?? []).map((day) => day.members)
  const [change] = last.value ?? []
  return (
    <tr>
      <td>
        <a class="id" href={addressOf(['segments', key])}>
          <Text text={title} />
        </a>{' '}
        {isUnsaved && <Chip tone="warn">unsaved changes</Chip>}
        <div class="sub">{key}</div>
      </td>
      <td class="num">
        <Num value={members} />
      </td>
      <td>
        {values.length > 1 && (
          <Sparkline
            values={values}
            label={`from ${shownNumber(values[0] ?? 0)} to ${shownNumber(values.at(-1) ?? 0)}`}
          />
        )}
        {values.length === 1 && <span class="muted">since today</span>}
      </td>
      <td class="hide-s">
        {change === undefined ? (
          last.value !== undefined && <span class="muted">none yet</span>
        ) : (
          <>
            {change.change === 'enter' ? 'entered' : 'left'} <When at={change.at} />
          </>
        )}
      </td>
      <td class="hide-s">
        <SegmentState segment={segment} />
      </td>
    </tr>
  )
}
