import { setImmediate as immediate } from 'node:timers/promises'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { timestampIn } from '../../file/row.js'
import type { Generation } from '../segments/generations.js'
import { addDigest, digestOf, digestText } from '../segments/hashes.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import type { OpenedProjections } from '../opened-projections.js'
import type { Differences } from './differences.js'
import { pairedRows, type Row, type RowsQuery } from './ordered-rows.js'

export type AuditedModel = Pick<OpenedProjections, 'tables' | 'segments'>

/** A segment, and what the read model keeps of it. */
export interface AuditedSegment {
  readonly name: string
  readonly segment: DefinedSegment
  readonly generation: Generation
}

/** The current versions, and the versions that are served until those are built. */
export function auditedSegments(projection: SegmentProjection): readonly AuditedSegment[] {
  const { segments, served } = projection.catalog
  const all = new Map([...segments, ...served].map((segment) => [segment.active.id, segment]))
  return [...all.values()].flatMap((segment) => {
    const generation = projection.generations.built(segment.active.id)
    return generation === undefined ? [] : [{ name: nameOf(segment), segment, generation }]
  })
}

/** The current versions that are not evaluated here, and why, for people. */
export function skippedSegments({ catalog, generations }: SegmentProjection): readonly string[] {
  return catalog.segments.flatMap((segment) => {
    if (generations.built(segment.active.id) !== undefined) return []
    const reason = segment.isForeign ? 'its rule is of a later program' : 'it is being built'
    return [`${nameOf(segment)}: ${reason}`]
  })
}

function nameOf({ key, version }: DefinedSegment): string {
  return `${key} version ${String(version)}`
}

const membersAtOnce = 5_000

/** Compares the members of a segment, counts them, and returns their number. */
export async function compareMembers(
  [stored, rebuilt]: readonly [AuditedModel, AuditedModel],
  { name, segment, generation }: AuditedSegment,
  skipped: ReadonlySet<number>,
  found: Differences,
): Promise<number> {
  const other = rebuilt.segments.generations.built(segment.active.id)
  if (other === undefined) {
    found.add(name, 'it is not evaluated when the read model is rebuilt')
    return 0
  }
  let members = 0
  let digest = 0n
  const dbs = { stored: stored.tables.db, rebuilt: rebuilt.tables.db }
  for (const pair of pairedRows(dbs, rowsOfMembers(generation), rowsOfMembers(other))) {
    if (pair.stored !== undefined) {
      members += 1
      if (typeof pair.stored[2] === 'string') digest = addDigest(digest, digestOf(pair.stored[2]))
    }
    const [entity, , , externalId] = pair.stored ?? pair.rebuilt ?? []
    if (skipped.has(Number(entity))) continue
    const isEntity = typeof externalId === 'string'
    const who = isEntity ? externalId : `number ${String(entity)}, which is no entity`
    const since = [sinceOf(pair.stored), sinceOf(pair.rebuilt)] as const
    found.compare(`entity ${who}`, `its membership in ${name}`, since, 'rebuilt')
    if (members % membersAtOnce === 0) await immediate()
  }
  found.compare(name, 'its number of members', [generation.members, members], 'counted')
  const digests = [digestText(generation.digest), digestText(digest)] as const
  found.compare(name, 'its digest', digests, 'counted')
  return members
}

function rowsOfMembers({ id }: Generation): RowsQuery {
  return {
    from: 'members LEFT JOIN entities USING (entity)',
    key: { entity: -1 },
    columns: ['since', 'entity_id', 'external_id'],
    where: `segment = ${String(id)}`,
  }
}

function sinceOf(row: Row | undefined): string | undefined {
  return row === undefined ? undefined : `since ${timestampIn(row[1])}`
}
