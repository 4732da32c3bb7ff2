import { type AuditAccount, AuditRefused } from '../../../../application/auditing/audit-account.js'
import { readFact } from '../../../../application/facts/fact-format.js'
import { meaningOf } from '../../../../application/facts/fact-table.js'
import { isSqliteError, prepareRows, type Database, reasonOf } from '../../file/driver.js'
import { numberIn, valuesIn, timestampIn } from '../../file/row.js'
import type { FactReader } from '../../file/fact-reader.js'
import { storedCheckpoint } from '../read-model-version.js'
import { SegmentProjection } from '../segments/segment-projection.js'
import type { CommittedFiles } from '../committed-read-model.js'
import { AuditedFiles } from './audited-files.js'
import { countedSegments, evaluatedSegments, passedOver, countMembers } from './audited-segments.js'
import { ComparedEntities } from './compare-entities.js'
import { PickedEntities } from './picked-entities.js'

/**
 * Compares a read model with the facts: some entities at random, and the number and digest of every
 * segment over all of its members. It may run beside the service: it takes no lock that keeps one from
 * writing, and writes nothing. Throws `AuditRefused`, and `UnreadableFact`.
 */
export async function auditReadModel(
  places: CommittedFiles,
  mostEntities: number,
): Promise<AuditAccount> {
  try {
    const files = AuditedFiles.open(places)
    try {
      const account = await audit(files, mostEntities)
      files.assertUnchanged()
      return account
    } finally {
      files.close()
    }
  } catch (error) {
    if (!isSqliteError(error)) throw error
    throw new AuditRefused(
      `${places.readModel} or the facts cannot be read (${reasonOf(error)}): a read model that is ` +
        'damaged is built anew when its files are removed and the service is started',
      { cause: error },
    )
  }
}

const publishNothing = () => undefined

async function audit(files: AuditedFiles, mostEntities: number): Promise<AuditAccount> {
  const { db } = files
  const { facts, erased } = files.tables()
  const picked = new PickedEntities(facts, mostEntities, erased.clockFloors())
  // Most of the log, before the read model is read at one commit.
  picked.lookUntil(storedCheckpoint(db).checkpoint.position)
  const tables = files.hold()
  const { checkpoint, logTime: storedLogTime } = storedCheckpoint(db)
  picked.lookUntil(checkpoint.position)
  const { logTime, created } = picked
  const projection = new SegmentProjection(tables, true, publishNothing)
  const segments = evaluatedSegments(projection)
  const compared = new ComparedEntities(tables, projection, segments, { ...checkpoint, logTime })
  const differences = [
    ...compareLogTime(storedLogTime, logTime),
    ...compareNumber(db, created),
    ...entitiesWithoutFacts(db, facts, mostEntities),
  ]
  let members = 0
  for (const segment of countedSegments(projection)) {
    const counted = await countMembers(db, segment)
    members += counted.members
    differences.push(...counted.differences)
  }
  for (const entity of picked.all) differences.push(...(await compared.compare(entity)))
  return {
    position: checkpoint.position,
    logTime,
    entities: created,
    folded: picked.all.length,
    facts: picked.all.reduce((sum, { positions }) => sum + positions.length, 0),
    segments: segments.map(({ name }) => name),
    passedOver: passedOver(projection),
    members,
    differences,
  }
}

function compareLogTime(stored: number, byFacts: number): readonly string[] {
  if (stored === byFacts) return []
  return [`log time is ${timestampIn(stored)}, by the facts ${timestampIn(byFacts)}`]
}

function compareNumber(db: Database, created: number): readonly string[] {
  const rows = numberIn(prepareRows(db, 'SELECT count(*) FROM entities').get()) ?? 0
  if (rows === created) return []
  return [`the number of entities is ${String(rows)}, by the facts ${String(created)}`]
}

/** Rows at random: an entity that is picked from the facts has one. */
function entitiesWithoutFacts(db: Database, facts: FactReader, most: number): readonly string[] {
  const some = prepareRows(db, 'SELECT entity, external_id FROM entities ORDER BY random() LIMIT ?')
  return some.all(most).flatMap((row) => {
    const [entity, externalId] = valuesIn(row)
    const stored = facts.find(Number(entity))
    const fact = stored && readFact(stored)
    const creation = fact && meaningOf(fact).entity
    const isCreated =
      creation?.effect.kind === 'created' && creation.externalId === String(externalId)
    return isCreated ? [] : [`entity ${String(externalId)}: no fact creates it`]
  })
}
