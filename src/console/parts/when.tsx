import { createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { relativeTime, shownTime, type Zone } from './times.js'

export const ZoneContext = createContext<Zone>('UTC')

/** An instant in the zone that is chosen, and how long ago; copied as RFC 3339. */
export function When({ at, plain }: { at: string | null; plain?: boolean }): JSX.Element {
  const zone = useContext(ZoneContext)
  if (at === null) return <span class="muted">never</span>
  return (
    <time dateTime={at} title={at}>
      {shownTime(at, zone)}
      {plain === true ? '' : <small> {relativeTime(Date.parse(at), Date.now())}</small>}
    </time>
  )
}

/** The head of a column of times. */
export function WhenHead({ name = 'When' }: { name?: string }): JSX.Element {
  const zone = useContext(ZoneContext)
  return (
    <th>
      {name} <small>({zone})</small>
    </th>
  )
}

/** Whoever copies one time gets it in the form that the API takes. */
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
