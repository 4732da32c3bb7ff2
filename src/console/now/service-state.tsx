import type { ComponentChildren, JSX } from 'preact'
import type { ServiceStatus } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall } from '../parts/copy-call.js'
import { Num, counted } from '../parts/num.js'
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
  building: 'not yet: what they need is being built',
  stalled: 'stopped: the log of the service says why',
  off: 'switched off in this process',
}

/** How the process is that answers. */
export function ServiceState(): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAsked((signal) => client.service.status({ signal }), [])
  return (
    <>
      <Trouble error={error} />
      <table class="state">
        <tbody>
          <Line name="Store" isGood={value?.store === 'ready'}>
            {value && storeWords[value.store]}
          </Line>
          <Line name="Reads" isGood={value?.reads === 'ready'}>
            {value && readWords[value.reads]}
          </Line>
          <Line name="Newest fact">{value && <Num value={value.head} />}</Line>
          <Line name="Reads know up to" isGood={value?.lag_positions === 0}>
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
          <Line name="Segments" isGood={value?.segments?.diverged === 0}>
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
    unpublished === 0 ? 'all is published' : `${counted(unpublished, 'change')} to be published`
  return diverged === 0 ? waiting : `${waiting}; ${counted(diverged, 'segment')} not as published`
}

interface LineProps {
  readonly name: string
  readonly isGood?: boolean
  readonly children?: ComponentChildren
}

function Line({ name, isGood, children }: LineProps): JSX.Element {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class={isGood === true ? 'good' : ''}>
        {isGood === true ? '● ' : ''}
        {children ?? '…'}
      </td>
    </tr>
  )
}
