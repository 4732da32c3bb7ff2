import type { JSX } from 'preact'
import type { Call } from './calls.js'
import { CopyMenu } from './copy-menu.js'

export { literal } from './calls.js'

/** The menu "Copy" for a single request of a page. */
export function CopyCall(call: Call): JSX.Element {
  return <CopyMenu call={call} of="request" />
}
