import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { codeOf, curlOf, type Call } from './calls.js'
import { Dialog } from './dialog.js'
import { Menu, MenuItem } from './menu.js'
import { visibleLines } from './visible.js'

/** The time for which the page confirms a copy, in milliseconds. */
const saidMs = 2_500

interface Props {
  readonly call: Call
  /** The subject of the menu. The menu of a `request` has no link. */
  readonly of?: 'page' | 'request'
}

/** The menu "Copy" of a page: its request as curl and as client code, and its link. */
export function CopyMenu({ call, of = 'page' }: Props): JSX.Element {
  const [said, setSaid] = useState('')
  const [text, setText] = useState<string>()
  useEffect(() => {
    if (said === '') return
    const timer = setTimeout(() => {
      setSaid('')
    }, saidMs)
    return () => {
      clearTimeout(timer)
    }
  }, [said])
  const copy = async (what: string, copied: string) => {
    try {
      await navigator.clipboard.writeText(copied)
      setSaid(`${what} copied`)
    } catch {
      // Browsers provide no clipboard to pages that were not loaded over https.
      setText(copied)
    }
  }
  return (
    <>
      <Menu name="Copy" icon="copy" look={of === 'page' ? 'plain' : 'quiet'}>
        <MenuItem icon="terminal" onClick={() => void copy('curl command', curlOf(call))}>
          As curl
        </MenuItem>
        <MenuItem icon="code" onClick={() => void copy('Client code', codeOf(call))}>
          As client code
        </MenuItem>
        {of === 'page' && (
          <MenuItem icon="link" onClick={() => void copy('Link', location.href)}>
            Link to this page
          </MenuItem>
        )}
      </Menu>
      <span role="status" class="copied">
        {said !== '' && <span>{said}</span>}
      </span>
      {text !== undefined && (
        <Dialog
          title="Copy this text"
          isBroad
          onClose={() => {
            setText(undefined)
          }}
        >
          <pre>{visibleLines(text)}</pre>
        </Dialog>
      )}
    </>
  )
}
