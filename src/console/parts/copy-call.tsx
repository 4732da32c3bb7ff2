import type { JSX } from 'preact'
import type { Call } from './calls.js'
import { CopyMenu } from './copy-menu.js'

export { literal } from './calls.js'

/** The menu "Copy" of a request in the middle of a page. */
export function CopyCall(call: Call): JSX.Element {
  return <CopyMenu call={call} of="request" />
}
