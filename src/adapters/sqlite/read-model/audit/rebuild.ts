import { setImmediate as immediate } from 'node:timers/promises'
import type { AuditProgress } from '../../../../application/auditing/audit-account.js'
import type { LoggedFact } from '../../../../application/facts/ports/fact-log.js'
import { isOurs } from '../../../../application/facts/our-streams.js'
import { ErasuresAhead } from '../../../../application/reading/erasures-ahead.js'
import type { ErasureAhead } from '../../../../application/reading/ports/projections.js'
import { prepareRows } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import { indexedPointers } from '../property-index.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { storedCheckpoint } from '../read-model-version.js'
import { SqliteProjections } from '../sqlite-projections.js'
import type { Snapshot } from './snapshot.js'

const pageLimits = { facts: 5_000, bytes: 4_194_304 }

/**
 * Rebuilds a read model and its segments from the facts up to the stored position of the snapshot. Writes the
 * file `snapshot.rebuiltPath`. Calls `onFact` with each fact. Throws `UnreadableFact`.
 */
export async function rebuild(
  snapshot: Snapshot,
  onFact: (fact: LoggedFact) => void,
  progress: AuditProgress,
): Promise<void> {
  const { tables, rebuiltPath, factsPlace } = snapshot
  const projections = SqliteProjections.open({
    path: rebuiltPath,
    factsFile: factsPlace,
    searchProperties: indexedPointers(tables.db),
    onDropped: (reason) => {
      throw new Error(reason)
    },
    // Ignores divergences, because the service itself reports a divergence of its read model.
    onDiverged: () => undefined,
  })
  try {
    projections.foresee(await knownErasures(tables))
    await applyFacts(projections, tables, onFact, progress)
    projections.finishBuild()
    await buildSegments(projections, progress)
  } finally {
    projections.close()
  }
}

/** Returns the erasures in the fact log, including erasures that were recorded after the snapshot. */
export function knownErasures(tables: ReadModelTables): Promise<readonly ErasureAhead[]> {
  const { db, facts, erased, keepsFacts } = tables
  if (!keepsFacts) {
    return new ErasuresAhead().read(
      {
        at: (position) => Promise.resolve(facts.find(position)),
        readStream: (stream, from) => Promise.resolve(facts.stream(stream, from)),
      },
      0,
    )
  }
  // Reads the erasures from the table of erased entities, because a read model that stores the facts removes
  // the facts of erased entities gradually.
  const rows = prepareRows(db, 'SELECT entity_id, position FROM erased_entities').all()
  const erasures = rows.map((row) => {
    const [id, position] = valuesIn(row)
    const entityId = String(id)
    const removedUpTo = position === null ? undefined : Number(position)
    return { entityId, removedUpTo, clock: erased.clockOf(entityId) }
  })
  return Promise.resolve(erasures)
}

async function applyFacts(
  projections: SqliteProjections,
  { db, facts, keepsFacts }: ReadModelTables,
  onFact: (fact: LoggedFact) => void,
  progress: AuditProgress,
): Promise<void> {
  progress.begin('rebuilding')
  const { position: until } = storedCheckpoint(db).checkpoint
  for (let after = 0; after < until;) {
    const page = facts.page(after, until, pageLimits)
    after = page.at(-1)?.position ?? until
    let left: readonly LoggedFact[] = keepsFacts ? page : page.filter(isOurs)
    for (const fact of left) onFact(fact)
    while (left.length > 0) left = projections.apply(left)
    progress.done(page.length, after / until)
    await immediate()
  }
}

async function buildSegments(
  projections: SqliteProjections,
  progress: AuditProgress,
): Promise<void> {
  progress.begin('segments')
  let failure: { readonly error: unknown } | undefined
  projections.watch((error) => {
    if (error !== undefined) failure = { error }
  })
  projections.workOn()
  while (projections.isWorking) {
    await immediate()
    const { value: segments } = await projections.answer('segments', {})
    const shares = segments.map(({ progress: share = 1 }) => share)
    progress.done(0, Math.min(1, ...shares))
  }
  if (failure !== undefined) throw failure.error
}
