import type { ComponentChildren, JSX } from 'preact'
import type { ServiceStatus } from '../../client/dossier.js'
import { toleratedLag } from '../frame/health-of.js'
import { Card } from '../parts/card.js'
import { Icon } from '../parts/icon.js'
import { counted, shownNumber } from '../parts/numbers.js'
import { Skeleton } from '../parts/skeleton.js'
import type { Shown } from '../parts/use-answer.js'
import { When } from '../parts/when.js'

const storeWords: Readonly<Record<ServiceStatus['store'], string>> = {
  ready: 'accepts writes',
  store_unavailable: 'cannot be reached',
  clock_untrusted: 'refuses writes: the clock of this machine is wrong',
  shutting_down: 'refuses writes: the service is stopping',
}

const readWords: Readonly<Record<ServiceStatus['reads'], string>> = {
  ready: 'answered',
  building: 'being prepared',
  stalled: 'stopped: the log of the service says why',
  off: 'switched off in this process (READ_MODEL=off)',
}

/** The state of each part of the process, with a sign for a good or a bad state. */
export function ProcessState({ status }: { status: Shown<ServiceStatus> }): JSX.Element {
  const { value, error } = status
  if (value === undefined)
    return <Card title="Process">{error === undefined && <Skeleton rows={7} />}</Card>
  // Shows no sign after a failed request, because the state may be out of date.
  const sign = (isGood: boolean | undefined) => (error === undefined ? isGood : undefined)
  const { segments, lag_positions: lag } = value
  return (
    <Card title="Process" note={error === undefined ? undefined : 'the last state that was seen'}>
      <dl class="pairs">
        <dt>Version</dt>
        <dd>{value.version}</dd>
        <State name="Store" isGood={sign(value.store === 'ready')}>
          {value.store_kind}: {storeWords[value.store]}
        </State>
        <State
          name="Reads"
          isGood={sign(value.reads === 'off' ? undefined : value.reads === 'ready')}
        >
          {readWords[value.reads]}
        </State>
        <dt>Newest stored fact</dt>
        <dd>{value.head === null ? '–' : `position ${shownNumber(value.head)}`}</dd>
        <State name="Reads include" isGood={sign(lag === null ? undefined : lag <= toleratedLag)}>
          {value.position === null ? '–' : `position ${shownNumber(value.position)}`}
          {lag !== null && lag > 0 && ` (${shownNumber(lag)} behind)`}
        </State>
        <dt>Time of the newest fact</dt>
        <dd>
          <When at={value.log_time} plain />
        </dd>
        <State
          name="Segments"
          isGood={sign(segments === null ? undefined : segments.diverged === 0)}
        >
          {segments === null ? '–' : segmentWords(segments)}
        </State>
      </dl>
    </Card>
  )
}

function segmentWords({ unpublished, diverged }: NonNullable<ServiceStatus['segments']>): string {
  const waiting =
    unpublished === 0 ? 'up to date' : `${counted(unpublished, 'change')} to be published`
  return diverged === 0 ? waiting : `${waiting}; ${counted(diverged, 'segment')} must be rebuilt`
}

interface StateProps {
  readonly name: string
  /** Whether the state is good. Undefined if it is neither good nor bad. */
  readonly isGood: boolean | undefined
  readonly children: ComponentChildren
}

function State({ name, isGood, children }: StateProps): JSX.Element {
  return (
    <>
      <dt>{name}</dt>
      <dd class={isGood === undefined ? undefined : isGood ? 'good' : 'bad'}>
        {isGood !== undefined && <Icon name={isGood ? 'yes' : 'alert'} />} {children}
      </dd>
    </>
  )
}
