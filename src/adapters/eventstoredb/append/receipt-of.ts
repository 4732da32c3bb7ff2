import type { Receipt } from '../../../application/recording/ports/event-store.js'
import type { RecordedFact } from './connection.js'

/** More facts than any creation of ours has. */
export const maxCreationLength = 100

/** The receipt of what was stored under a key: the run of facts that carry it, from the first on. */
export function receiptOf(facts: readonly RecordedFact[], key: string): Receipt | undefined {
  const end = facts.findIndex((placed) => placed.key !== key)
  const run = end === -1 ? facts : facts.slice(0, end)
  const last = run.at(-1)
  if (last === undefined) return undefined
  return { position: String(last.position), facts: run.map(({ fact }) => fact), replayed: true }
}
