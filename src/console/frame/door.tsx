import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Calls } from '../../client/calls.js'
import { DossierError, type Key } from '../../client/dossier.js'
import { storeKey } from './stored-key.js'

/** The service that this page came from, whatever prefix a proxy put before it. */
export function clientOf(key: string): Calls {
  const url = new URL('.', location.href)
  return new Calls({ url: url.origin + url.pathname, key, timeoutMs: 8_000 })
}

interface Props {
  /** Why one is here again; empty at first. */
  readonly why: string
  readonly enter: (client: Calls, key: Key) => void
}

/** A form for an API key, which stays in memory unless somebody says otherwise. */
export function Door({ why, enter }: Props): JSX.Element {
  const [text, setText] = useState('')
  const [isKept, setKept] = useState(false)
  const [trouble, setTrouble] = useState(why)
  const [isAsking, setAsking] = useState(false)
  const signIn = async () => {
    setAsking(true)
    try {
      const client = clientOf(text.trim())
      const key = await client.service.key()
      if (isKept) storeKey(text.trim())
      enter(client, key)
    } catch (error) {
      setTrouble(refusalOf(error))
      setAsking(false)
    }
  }
  return (
    <main class="door">
      <h1>Dossier</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void signIn()
        }}
      >
        <label>
          API key
          <input
            type="password"
            autocomplete="off"
            required
            autofocus
            value={text}
            onInput={({ currentTarget }) => {
              setText(currentTarget.value)
            }}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => {
              setKept(currentTarget.checked)
            }}
          />
          Keep for this tab
        </label>
        <p class="muted">
          The key stays in the memory of this page and is gone when you reload or close it. Kept for
          this tab, it survives a reload; whoever can use this browser can read it until the tab is
          closed. After 30 minutes without you it is forgotten either way.
        </p>
        <button type="submit" disabled={isAsking}>
          Sign in
        </button>
        <p role="alert" class="bad">
          {trouble}
        </p>
      </form>
    </main>
  )
}

export function refusalOf(error: unknown): string {
  if (!(error instanceof DossierError)) return 'An API key is made of visible characters only.'
  if (error.status === 401) return 'This key is not valid. Was it copied whole, or was it revoked?'
  if (error.status === 403)
    return 'This key may only track. Ask for one with the scope "read": npx dossier keys create --name NAME --scope read'
  return error.message
}
