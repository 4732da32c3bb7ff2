import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Calls } from '../../client/calls.js'
import type { Key } from '../../client/dossier.js'
import { Answers } from '../parts/answers.js'
import { clientOf, refusalOf } from './key-client.js'
import { Page } from './page.js'
import { SessionContext, type Session } from './session.js'
import { SignIn } from './sign-in.js'
import { dropKey, storedKey } from './stored-key.js'
import { useIdle } from './use-idle.js'

interface SignedIn {
  readonly client: Calls
  readonly key: Key
}

/** Shows the sign-in, and the pages after it. */
export function App(): JSX.Element {
  const [entered, setEntered] = useState<SignedIn>()
  const [why, setWhy] = useState('')
  const [isUnlocked, setUnlocked] = useState(false)
  const [isReady, setReady] = useState(storedKey() === undefined)
  const leave = (reason: string) => {
    dropKey()
    setUnlocked(false)
    setWhy(reason)
    setEntered(undefined)
  }
  useEffect(() => {
    const key = storedKey()
    if (key === undefined) return
    const client = clientOf(key)
    client.service
      .key()
      .then((its) => {
        setEntered({ client, key: its })
      })
      .catch((error: unknown) => {
        leave(refusalOf(error))
      })
      .finally(() => {
        setReady(true)
      })
  }, [])
  useIdle(entered !== undefined, () => {
    leave('Nobody used the page for 30 minutes, so it forgot the key.')
  })
  const answers = useMemo(
    () =>
      new Answers(
        () => {
          leave('This key is not valid any more.')
        },
        () => document.hidden,
      ),
    [entered],
  )
  if (!isReady) return <main class="sign-in" aria-busy="true" />
  if (entered === undefined) {
    return (
      <SignIn
        key={why}
        why={why}
        enter={(client, key) => {
          setEntered({ client, key })
        }}
      />
    )
  }
  const session: Session = {
    ...entered,
    answers,
    isUnlocked,
    unlock: () => {
      setUnlocked(!isUnlocked)
    },
    leave,
  }
  return (
    <SessionContext.Provider value={session}>
      <Page />
    </SessionContext.Provider>
  )
}
