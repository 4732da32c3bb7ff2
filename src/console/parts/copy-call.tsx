import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { visibleLines } from './visible.js'

interface Call {
  /** From the service's address on, with its query: `/entities/ada`. */
  readonly path: string
  readonly method?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** The same by the client: `dossier.entities.get('ada')`. */
  readonly code: string
}

/** What this view has asked, or this action sends, to be used elsewhere; never with the key in it. */
export function CopyCall(call: Call): JSX.Element {
  const [copied, setCopied] = useState('')
  const copy = async (name: string, text: string) => {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(`${name} copied`)
    } catch {
      // Pages that were not loaded over https have no clipboard.
      setCopied(text)
    }
  }
  return (
    <span class="copy">
      <button type="button" class="link" onClick={() => void copy('curl', curlOf(call))}>
        Copy as curl
      </button>
      <button type="button" class="link" onClick={() => void copy('Code', codeOf(call))}>
        Copy as client code
      </button>
      <span role="status">
        {copied.endsWith(' copied') ? copied : copied !== '' && <pre>{visibleLines(copied)}</pre>}
      </span>
    </span>
  )
}

/** A word that a shell takes as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

export function curlOf({ method = 'GET', path, body, headers = {} }: Call): string {
  const url = new URL('.', location.href)
  const words = ['curl -sS']
  if (method !== 'GET') words.push(`-X ${method}`)
  words.push(quoted(url.origin + url.pathname.replace(/\/$/, '') + path))
  words.push('-H "Authorization: Bearer $DOSSIER_KEY"')
  for (const [name, value] of Object.entries(headers))
    words.push(`-H ${quoted(`${name}: ${value}`)}`)
  if (body !== undefined) {
    words.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`)
  }
  return words.join(' ')
}

function codeOf({ code }: Call): string {
  const url = new URL('.', location.href)
  return [
    `import { Dossier } from 'dossier-client'`,
    `const dossier = new Dossier({ url: ${literal(url.origin + url.pathname)}, key: process.env.DOSSIER_KEY })`,
    code,
  ].join('\n')
}

/** A value as it stands in a program. */
export function literal(value: unknown): string {
  return JSON.stringify(value)
}
