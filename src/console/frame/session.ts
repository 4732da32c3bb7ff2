import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Calls } from '../../client/calls.js'
import type { Key } from '../../client/dossier.js'
import type { Answers } from '../parts/answers.js'

export type Scope = Key['scopes'][number]

/** The signed-in key and its client, until the user signs out or closes the tab. */
export interface Session {
  readonly client: Calls
  readonly key: Key
  /** The answers of the service that the page shows. */
  readonly answers: Answers
  /** Whether the user has allowed changes in this tab. Until then, changes are locked. */
  readonly isUnlocked: boolean
  /** Allows changes, or locks them again. */
  readonly unlock: () => void
  /** Returns to the sign-in, which shows the reason `why`. */
  readonly leave: (why: string) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new TypeError('no view is shown before somebody signed in')
  return session
}

/**
 * Returns whether the tab may make changes that need a scope. `missing`: the key lacks the scope. `locked`: the key has
 * the scope, but the user has not allowed changes in this tab.
 */
export function permission(session: Session, scope: Scope): 'yes' | 'locked' | 'missing' {
  if (!session.key.scopes.includes(scope)) return 'missing'
  return session.isUnlocked || scope === 'read' ? 'yes' : 'locked'
}

/** Returns whether the key has the scope. A page shows no forms to a key without the scope. */
export function useScope(scope: Scope): boolean {
  return useSession().key.scopes.includes(scope)
}
