import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Calls } from '../../client/calls.js'
import type { Key } from '../../client/dossier.js'

export type Scope = Key['scopes'][number]

/** Who is signed in, for as long as the tab is. */
export interface Session {
  readonly client: Calls
  readonly key: Key
  /** What changes things is locked until somebody opens it for this tab. */
  readonly isUnlocked: boolean
  readonly unlock: () => void
  /** Back to the door, which shows why. */
  readonly leave: (why: string) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new TypeError('no view is shown before somebody signed in')
  return session
}

/** `missing`: the key has not this scope; `locked`: it has, and the tab is not opened for changes. */
export function permission(session: Session, scope: Scope): 'yes' | 'locked' | 'missing' {
  if (!session.key.scopes.includes(scope)) return 'missing'
  return session.isUnlocked || scope === 'read' ? 'yes' : 'locked'
}
