import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Calls } from '../../client/calls.js'
import type { Key } from '../../client/dossier.js'
import type { Answers } from '../parts/answers.js'

export type Scope = Key['scopes'][number]

/** The key that is signed in, until the tab is left or closed. */
export interface Session {
  readonly client: Calls
  readonly key: Key
  /** The answers that the page shows. */
  readonly answers: Answers
  /** Changes are locked until the user allows them in this tab. */
  readonly isUnlocked: boolean
  /** Allows changes, or locks them again. */
  readonly unlock: () => void
  /** Back to the sign-in, which shows why. */
  readonly leave: (why: string) => void
}

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new TypeError('no view is shown before somebody signed in')
  return session
}

/** `missing`: the key lacks this scope; `locked`: the key has it, and the tab does not allow changes yet. */
export function permission(session: Session, scope: Scope): 'yes' | 'locked' | 'missing' {
  if (!session.key.scopes.includes(scope)) return 'missing'
  return session.isUnlocked || scope === 'read' ? 'yes' : 'locked'
}

/** Whether the key has the scope. Without it, a page shows no form. */
export function useScope(scope: Scope): boolean {
  return useSession().key.scopes.includes(scope)
}
