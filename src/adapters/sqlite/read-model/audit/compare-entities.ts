import { indexedPointers } from '../property-index.js'
import type { Applied } from '../queries/answers.js'
import { ProfileQueries } from '../queries/profile-queries.js'
import { SqliteQueries } from '../queries/queries.js'
import type { ReadModelTables } from '../read-model-tables.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import { differencesIn, type RunQuery, compareFound, compareProfile } from './compare-profile.js'
import type { AuditedSegment } from './audited-segments.js'
import { ComparedLists } from './compare-lists.js'
import { ComparedMemberships } from './compare-memberships.js'
import { EntityFolds, type FoldedEntity } from './folded-entity.js'
import type { PickedEntity } from './picked-entities.js'

/** Compares all that is answered of entities with what their own facts come to. */
export class ComparedEntities {
  private readonly folds: EntityFolds
  private readonly query: RunQuery
  private readonly profiles: ProfileQueries
  private readonly lists: ComparedLists
  private readonly memberships: ComparedMemberships
  private readonly pointers: readonly string[]

  /** `applied`: log time there is that by the facts. */
  constructor(
    tables: ReadModelTables,
    projection: SegmentProjection,
    segments: readonly AuditedSegment[],
    applied: Applied,
  ) {
    const { db, facts } = tables
    const { logTime } = applied
    const queries = new SqliteQueries(tables, projection)
    this.query = async (name, query) => (await queries.answer(name, query, applied)).value
    this.profiles = new ProfileQueries(db)
    this.pointers = indexedPointers(db)
    const defined = segments.map(({ segment }) => segment)
    const steps = projection.catalog.timeline.related(defined)
    this.folds = new EntityFolds(facts, steps, logTime)
    this.lists = new ComparedLists(this.query, facts)
    this.memberships = new ComparedMemberships(db, this.query, projection, segments, logTime)
  }

  /** The differences of one, for people. Throws `UnreadableFact` when its own facts cannot be read. */
  async compare(entity: PickedEntity): Promise<readonly string[]> {
    const folded = this.folds.fold(entity)
    const differences = await differencesIn('its profile', () => this.compareWith(folded))
    return differences.map((difference) => `entity ${entity.externalId}: ${difference}`)
  }

  private async compareWith(folded: FoldedEntity): Promise<readonly string[]> {
    const { externalId } = folded.profile
    const profile = await this.query('profile', { externalId })
    if (profile === undefined) return ['no profile is answered, and a fact creates it']
    const isMarkedFull = this.profiles.isFull(externalId)
    return [
      ...(await compareProfile(this.query, profile, folded, isMarkedFull)),
      ...(await compareFound(this.query, folded, this.pointers)),
      ...(await this.lists.events(folded)),
      ...(await this.lists.history(folded)),
      ...(await this.memberships.compare(folded, profile.segments)),
    ]
  }
}
