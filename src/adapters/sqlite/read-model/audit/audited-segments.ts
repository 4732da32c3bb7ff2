import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import type { Generation } from '../segments/evaluation/generations.js'
import type { SegmentProjection } from '../segments/segment-projection.js'
import { setImmediate as immediate } from 'node:timers/promises'
import { type Database, prepareAll } from '../../file/driver.js'
import { numberIn, valuesIn } from '../../file/row.js'
import { addDigest, digestOf, digestText } from '../segments/hashes.js'

/** A segment, and what the read model keeps of it. */
export interface AuditedSegment {
  readonly name: string
  readonly segment: DefinedSegment
  readonly generation: Generation
}

/** As they are defined now and evaluated here, dependencies first. */
export function evaluatedSegments(projection: SegmentProjection): readonly AuditedSegment[] {
  return projection.catalog.segments.flatMap((segment) => auditedOf(projection, segment))
}

/** All whose members are compared: those, and the versions that are served until others are built. */
export function countedSegments(projection: SegmentProjection): readonly AuditedSegment[] {
  const { segments, served } = projection.catalog
  const all = new Map([...segments, ...served].map((segment) => [segment.active.id, segment]))
  return [...all.values()].flatMap((segment) => auditedOf(projection, segment))
}

/** Those of now that are not evaluated here, and why, for people. */
export function passedOver(projection: SegmentProjection): readonly string[] {
  return projection.catalog.segments.flatMap((segment) => {
    if (auditedOf(projection, segment).length > 0) return []
    const reason = segment.isForeign ? 'its rule is of a later program' : 'it is being built'
    return [`${nameOf(segment)}: ${reason}`]
  })
}

function auditedOf(
  { generations }: SegmentProjection,
  segment: DefinedSegment,
): readonly AuditedSegment[] {
  const generation = generations.built(segment.active.id)
  return generation === undefined ? [] : [{ name: nameOf(segment), segment, generation }]
}

function nameOf({ key, version }: DefinedSegment): string {
  return `${key} version ${String(version)}`
}

const membersAtOnce = 5_000

interface CountedMembers {
  readonly members: number
  readonly differences: readonly string[]
}

export async function countMembers(
  db: Database,
  { name, generation }: AuditedSegment,
): Promise<CountedMembers> {
  const { page, all } = prepareAll(db, sql)
  let members = 0
  let digest = 0n
  for (let last = 0; ;) {
    const rows = page.all(generation.id, last, membersAtOnce).map(valuesIn)
    for (const [entity, entityId] of rows) {
      last = Number(entity)
      members += 1
      digest = addDigest(digest, digestOf(String(entityId)))
    }
    if (rows.length < membersAtOnce) break
    await immediate()
  }
  const listed = numberIn(all.get(generation.id)) ?? 0
  const found = [
    differ(`${name}: its number of members`, generation.members, members),
    differ(`${name}: its digest`, digestText(generation.digest), digestText(digest)),
    differ(`${name}: its members that are entities`, listed, members),
  ]
  return { members, differences: found.flat() }
}

function differ<T extends number | string>(what: string, stored: T, counted: T): readonly string[] {
  return stored === counted ? [] : [`${what} is ${String(stored)}, counted ${String(counted)}`]
}

const sql = {
  page: `SELECT entity, entity_id FROM members JOIN entities USING (entity)
       WHERE segment = ? AND entity > ? ORDER BY entity LIMIT ?`,
  all: 'SELECT count(*) FROM members WHERE segment = ?',
}
