import { readFact } from '../../../../../application/facts/fact-format.js'
import { meaningOfCreation } from '../../../../../domain/entity.js'
import { createdAtOf, emptyState } from '../../../../../domain/segments/membership/entity-state.js'
import { epochMsOf } from '../../../../../domain/timestamp.js'
import { prepareRows, type Database, type Statement } from '../../../file/driver.js'
import { awaited } from '../../erased-entities.js'
import { numbersIn } from '../../../file/row.js'
import type { FactReader } from '../../../file/fact-reader.js'
import type { EntityLogs } from '../../entity-log/entity-logs.js'
import { subjectOf, type EntityRow } from '../evaluation/entity-states.js'

/** Reads erased entities whose facts are kept until a backfill has replayed the facts. */
export class ErasedRows {
  private readonly find: Statement

  constructor(
    db: Database,
    private readonly facts: FactReader,
    private readonly logs: Pick<EntityLogs, 'at'>,
  ) {
    this.find = prepareRows(
      db,
      `SELECT position, log_time FROM erased_entities JOIN other_facts USING (position)
       WHERE entity = ? AND is_gone = ${String(awaited)}`,
    )
  }

  /**
   * Returns an erased entity, or undefined when its facts are not kept. The store removes the creation first,
   * so a missing creation means that facts are missing.
   */
  get(entity: number): EntityRow | undefined {
    const found = this.find.get(entity)
    if (found === undefined) return undefined
    const [position = 0, logTime = 0] = numbersIn(found)
    const stored = this.facts.stored([entity, position])
    const [creation, erasure] = [stored.get(entity), stored.get(position)]
    const created = creation && readFact(creation)
    if (created?.type !== 'EntityCreated' || erasure === undefined) return undefined
    const { externalId, createdAt } = created.data
    const { entity: about } = meaningOfCreation(created)
    const createdLogTime = this.logs.at(entity, entity)?.logTime ?? epochMsOf(createdAt)
    return {
      entity,
      entityId: created.id,
      logs: [entity],
      subject: subjectOf(externalId, createdAtOf(about, createdLogTime)),
      state: emptyState(),
      erasedBy: { logged: { position, id: erasure.id }, logTime },
    }
  }
}
