import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.js'

interface Props {
  readonly text: string
  readonly name: string
}

/** A button that copies a text which the page shows beside it. */
export function CopyButton({ text, name }: Props): JSX.Element {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setSaid('Copied.')
    } catch {
      // Browsers provide no clipboard to pages that were not loaded over https.
      setSaid('This browser allows no copying here. Select the text and copy it.')
    }
  }
  return (
    <>
      <Button icon="copy" onClick={() => void copy()}>
        {name}
      </Button>
      <span role="status" class="soft">
        {said}
      </span>
    </>
  )
}
