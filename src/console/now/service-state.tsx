import type { ComponentChildren, JSX } from 'preact'
import type { ServiceStatus } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall } from '../parts/copy-call.js'
import { Num } from '../parts/num.js'
import { counted } from '../parts/numbers.js'
import { Trouble } from '../parts/trouble.js'
import { When } from '../parts/when.js'

const storeWords: Readonly<Record<ServiceStatus['store'], string>> = {
  ready: 'takes writes',
  store_unavailable: 'cannot be reached',
  clock_untrusted: 'is not written to: the clock of this machine is not trusted',
  shutting_down: 'is not written to: the service is being stopped',
}

const readWords: Readonly<Record<ServiceStatus['reads'], string>> = {
  ready: 'answered',
  building: 'not yet: they are being prepared',
  stalled: 'stopped: the log of the service says why',
  off: 'switched off in this process',
}

/** How the process is that answers. */
export function ServiceState(): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAsked(
    async (signal) => ({
      ...(await client.service.status({ signal })),
      seen: new Date().toISOString(),
    }),
    [],
  )
  // What was so a while ago is neither good nor bad.
  const sign = (isGood: boolean | undefined) => (error === undefined ? isGood : undefined)
  return (
    <>
      <Trouble error={error} />
      {error && value && (
        <p class="muted">
          As of <When at={value.seen} plain />:
        </p>
      )}
      <table class={error ? 'state muted' : 'state'}>
        <tbody>
          <Line name="Store" isGood={sign(value && value.store === 'ready')}>
            {value && `${storeWords[value.store]} (${value.store_kind})`}
          </Line>
          <Line
            name="Reads"
            isGood={sign(value && value.reads !== 'off' ? value.reads === 'ready' : undefined)}
          >
            {value && readWords[value.reads]}
          </Line>
          <Line name="Newest fact stored">{value && <Num value={value.head} />}</Line>
          <Line name="Newest fact readable" isGood={sign(isNear(value?.lag_positions))}>
            {value && (
              <>
                <Num value={value.position} />
                {value.lag_positions !== null && value.lag_positions > 0 && (
                  <>
                    {' '}
                    (<Num value={value.lag_positions} /> behind)
                  </>
                )}
              </>
            )}
          </Line>
          <Line name="Time of the newest fact">{value && <When at={value.log_time} />}</Line>
          <Line
            name="Segments"
            isGood={sign(value?.segments ? value.segments.diverged === 0 : undefined)}
          >
            {value?.segments && segmentWords(value.segments)}
          </Line>
          <Line name="Version">{value?.version}</Line>
        </tbody>
      </table>
      <CopyCall path="/status" code="await dossier.service.status()" />
    </>
  )
}

function segmentWords({ unpublished, diverged }: NonNullable<ServiceStatus['segments']>): string {
  const waiting =
    unpublished === 0 ? 'up to date' : `${counted(unpublished, 'change')} to be published`
  return diverged === 0 ? waiting : `${waiting}; ${counted(diverged, 'segment')} not as published`
}

/** Positions that reads may be behind for a moment. */
const nearBy = 1_000

/** Undefined: that is not known, or on its way. */
function isNear(lag: number | null | undefined): boolean | undefined {
  if (lag === 0) return true
  return typeof lag === 'number' && lag > nearBy ? false : undefined
}

interface LineProps {
  readonly name: string
  /** Undefined: neither good nor bad. */
  readonly isGood?: boolean | undefined
  readonly children?: ComponentChildren
}

function Line({ name, isGood, children }: LineProps): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class={isGood === undefined ? '' : isGood ? 'good' : 'bad'}>
        {isGood === undefined ? '' : isGood ? '● ' : '▲ '}
        {children ?? '…'}
      </td>
    </tr>
  )
}
