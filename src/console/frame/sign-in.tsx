import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Calls } from '../../client/calls.js'
import type { Key } from '../../client/dossier.js'
import { Button } from '../parts/button.js'
import { Brand } from './brand.js'
import { clientOf, refusalOf } from './key-client.js'
import { storeKey } from './stored-key.js'

interface Props {
  /** The reason why the page asks again. Empty for the first sign-in. */
  readonly why: string
  readonly enter: (client: Calls, key: Key) => void
}

/** A form for an API key. The key stays only in memory, unless the user chooses to keep it. */
export function SignIn({ why, enter }: Props): JSX.Element {
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
    <main class="sign-in">
      <Brand />
      <form
        class="card stacked"
        onSubmit={(event) => {
          event.preventDefault()
          void signIn()
        }}
      >
        <h1>Sign in</h1>
        <label class="field across">
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
        {trouble !== '' && (
          <p role="alert" class="trouble">
            {trouble}
          </p>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={isKept}
            onChange={({ currentTarget }) => {
              setKept(currentTarget.checked)
            }}
          />
          Keep for this tab, also after a reload
        </label>
        <Button look="primary" disabled={isAsking}>
          Sign in
        </Button>
        <KeyHelp />
      </form>
    </main>
  )
}

/** Says how to get a key, and how long the page keeps it. */
function KeyHelp(): JSX.Element {
  return (
    <div class="sub">
      <p>
        The first key is in the data folder of the service, in the file <code>first-key</code>: for
        example <code>data/first-key</code>, or <code>data/demo/first-key</code> of the demo. Make a
        key that can only read:
      </p>
      <pre>npx dossier keys create --name console --scope read</pre>
      <p>The page forgets the key when you close the tab, and after 30 minutes without activity.</p>
    </div>
  )
}
