import {
  AuditRefused,
  type AuditAccount,
  type AuditProgress,
} from '../../../../application/auditing/audit-account.js'
import { isSqliteError, prepareRows, reasonOf } from '../../file/driver.js'
import { timestampIn, valuesIn } from '../../file/row.js'
import type { CommittedFiles } from '../committed-read-model.js'
import type { ReadModelTables } from '../read-model-tables.js'
import { storedCheckpoint } from '../read-model-version.js'
import { SegmentProjection } from '../segments/segment-projection.js'
import { auditedSegments, skippedSegments, type AuditedModel } from './audited-segments.js'
import { ComparedModels } from './compare-models.js'
import { Differences } from './differences.js'
import { EntityViews } from './entity-views.js'
import { FoldedEntities, PickedEntities } from './fold-entities.js'
import { knownErasures, rebuild } from './rebuild.js'
import { Snapshot } from './snapshot.js'

export interface AuditOptions {
  /** The most entities whose facts the audit also replays one by one. */
  readonly entities: number
  readonly progress: AuditProgress
}

/**
 * Audits a read model: copies it, rebuilds a second read model from the facts up to the stored position of the
 * copy, and compares every entity and every segment. The audit can run while the service works, because the
 * audit only reads the service's files. Throws `AuditRefused` and `UnreadableFact`.
 * - `snapshot.ts` copies the read model, and `rebuild.ts` rebuilds it.
 * - `compare-models.ts`, `audited-segments.ts`, `entity-views.ts` and `ordered-rows.ts` compare both read
 *   models.
 * - `fold-entities.ts` replays some entities one by one as an independent check.
 * - `differences.ts` collects the differences.
 */
export async function auditReadModel(
  files: CommittedFiles,
  options: AuditOptions,
): Promise<AuditAccount> {
  try {
    const snapshot = Snapshot.take(files, options.progress)
    try {
      const account = await audit(snapshot, options)
      snapshot.assertUnchanged()
      return account
    } catch (error) {
      snapshot.assertUnchanged()
      throw error
    } finally {
      snapshot.remove()
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error
    throw new AuditRefused(
      `${files.readModel} or the facts cannot be read, or the disk is full (${reasonOf(error)}): a read ` +
        'model that is damaged is rebuilt when its files are removed and the service is started',
      { cause: error },
    )
  }
}

async function audit(
  snapshot: Snapshot,
  { entities, progress }: AuditOptions,
): Promise<AuditAccount> {
  const { tables } = snapshot
  const picked = new PickedEntities(tables, entities)
  await rebuild(snapshot, picked.add, progress)
  const rebuilt = snapshot.openRebuilt()
  try {
    return await compare(modelOf(tables), modelOf(rebuilt), picked, progress)
  } finally {
    rebuilt.db.close()
  }
}

function modelOf(tables: ReadModelTables): AuditedModel {
  return { tables, segments: new SegmentProjection(tables, true, () => undefined) }
}

async function compare(
  stored: AuditedModel,
  rebuilt: AuditedModel,
  picked: PickedEntities,
  progress: AuditProgress,
): Promise<AuditAccount> {
  const found = new Differences()
  const skipped = await entitiesBeingErased(stored.tables)
  const segments = auditedSegments(stored.segments)
  const models = new ComparedModels(stored, rebuilt, new Set(skipped.values()), found)
  const { logTime } = picked
  progress.begin('comparing')
  models.compareFiles()
  const entities = await models.compareEntities(new EntityViews(segments, logTime), progress)
  models.compareTables()
  const members = segments.reduce((sum, segment) => sum + models.compareMembers(segment), 0)
  const folds = new FoldedEntities(stored, segments, logTime)
  const erased = await entitiesBeingErased(stored.tables)
  const folded = picked.all.filter(({ externalId }) => !erased.has(externalId))
  for (const entity of folded) folds.compare(entity, found)
  const { checkpoint, logTime: storedLogTime } = storedCheckpoint(stored.tables.db)
  if (storedLogTime !== logTime && !found.has('the read model')) {
    found.add(
      'the read model',
      `log time differs from the replayed log time, ${timestampIn(logTime)}`,
    )
  }
  const { lines, more } = found
  return {
    position: checkpoint.position,
    logTime,
    entities,
    folded: folded.length,
    facts: folded.reduce((sum, { positions }) => sum + positions.length, 0),
    segments: segments.map(({ name }) => name),
    skipped: [
      ...skippedSegments(stored.segments),
      ...[...erased.keys()].map((externalId) => `entity ${externalId}: it is being erased`),
    ],
    members,
    differences: lines,
    moreDifferences: more,
  }
}

/**
 * Returns the numbers of the entities in the snapshot that are being erased, by external id. The store may have
 * removed their facts already.
 */
async function entitiesBeingErased(tables: ReadModelTables): Promise<ReadonlyMap<string, number>> {
  const { db } = tables
  const find = prepareRows(db, 'SELECT entity, external_id FROM entities WHERE entity_id = ?')
  const erasures = await knownErasures(tables)
  return new Map(
    erasures.flatMap(({ entityId }) => {
      const row = find.get(entityId)
      if (row === undefined) return []
      const [entity, externalId] = valuesIn(row)
      return [[String(externalId), Number(entity)] as const]
    }),
  )
}
