import { createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { fullTime, relativeTime, shownClock, shownTime, type Zone } from './times.js'

export const ZoneContext = createContext<Zone>('UTC')

export function useZone(): Zone {
  return useContext(ZoneContext)
}

interface Props {
  /** The instant in RFC 3339. Null means never. */
  readonly at: string | null
  /** Whether to show `25 Nov 13:10` instead of `3 hours ago`. */
  readonly plain?: boolean
  /** Shows only the time of day, `13:10` or `13:10:05`. Use it where the page shows the day elsewhere. */
  readonly clock?: 'minutes' | 'seconds'
}

/** Shows how long ago an instant was, and the exact time on hover. Copying the text gives RFC 3339. */
export function When({ at, plain = false, clock }: Props): JSX.Element {
  const zone = useZone()
  if (at === null) return <span class="muted">never</span>
  return (
    <time dateTime={at} title={fullTime(at, zone)}>
      {clock !== undefined
        ? shownClock(at, zone).slice(0, clock === 'minutes' ? 5 : 8)
        : plain
          ? shownTime(at, zone)
          : relativeTime(Date.parse(at), Date.now())}
    </time>
  )
}

/** The heading of a column of exact times. */
export function WhenHead({ name = 'When' }: { name?: string }): JSX.Element {
  return (
    <th>
      {name} <small class="muted">({useZone()})</small>
    </th>
  )
}

/** Makes the browser copy a single selected time in the format of the API. */
export function copyTimesWhole(): void {
  document.addEventListener('copy', (event) => {
    const selection = getSelection()
    const element = (node: Node | null | undefined) => node?.parentElement?.closest('time')
    const time = element(selection?.anchorNode)
    if (time === undefined || time === null || time !== element(selection?.focusNode)) return
    event.clipboardData?.setData('text/plain', time.dateTime)
    event.preventDefault()
  })
}
