import type { AuditAccount } from '../../../../application/auditing/audit-account.js'
import { AuditRefused } from '../../../../application/auditing/audit-refused.js'
import { isSqliteError, prepareRows, type Database } from '../../file/driver.js'
import { reasonOf } from '../../file/reason-of.js'
import { numberIn, numbersIn } from '../../file/row.js'
import { keptIn } from '../read-model-form.js'
import { SegmentProjection } from '../segments/segment-projection.js'
import { AuditedFiles, type AuditPlaces } from './audited-files.js'
import { countedSegments, evaluatedSegments, passedOver } from './audited-segments.js'
import { ComparedEntities } from './compare-entities.js'
import { countMembers } from './count-members.js'

/**
 * Compares a read model with the facts: some entities at random, and the number and digest of every
 * segment over all of its members. It may run beside the service: it takes no lock that keeps one from
 * writing, and writes nothing. Throws `AuditRefused`, and `UnreadableFact`.
 */
export async function auditReadModel(
  places: AuditPlaces,
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

/** What the log was told is not compared here. */
const tellNobody = () => undefined

async function audit(files: AuditedFiles, mostEntities: number): Promise<AuditAccount> {
  const { db } = files
  const facts = files.facts()
  const { checkpoint, logTime } = keptIn(db)
  const projection = new SegmentProjection(db, facts, false, tellNobody)
  const segments = evaluatedSegments(projection)
  const known = { position: checkpoint.position, logTime }
  const compared = new ComparedEntities(db, facts, projection, segments, known)
  const differences: string[] = []
  let members = 0
  for (const segment of countedSegments(projection)) {
    const counted = await countMembers(db, segment)
    members += counted.members
    differences.push(...counted.differences)
  }
  const entities = segments.length === 0 ? [] : someEntities(db, mostEntities)
  for (const entity of entities) differences.push(...(await compared.compare(entity)))
  return {
    ...known,
    entities: numberIn(prepareRows(db, 'SELECT count(*) FROM entities').get()) ?? 0,
    folded: entities.length,
    facts: compared.facts,
    segments: segments.map(({ name }) => name),
    passedOver: passedOver(projection),
    members,
    differences,
  }
}

function someEntities(db: Database, most: number): readonly number[] {
  const some = prepareRows(db, 'SELECT entity FROM entities ORDER BY random() LIMIT ?')
  return some.all(most).map((row) => numbersIn(row)[0] ?? 0)
}
