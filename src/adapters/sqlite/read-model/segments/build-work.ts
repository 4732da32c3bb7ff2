import type { Catalog } from '../../../../domain/segments/catalog.js'
import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { numbersIn, valuesIn } from '../../file/row.js'
import type { Slice } from '../slice.js'
import { buildBundle, liveBundle } from './bundles.js'
import type { LiveSegments } from './live-segments.js'
import { SegmentBuild, type BuildParts, type BuildPlace } from './segment-build.js'

const nowhere: BuildPlace = { prefix: 0, reached: 0, logTime: 0, scanned: 0, scannedFor: 0 }

/** So many rows are moved or removed at a time. */
const rowsAtOnce = 500

/**
 * `building`: it is on its way through the log. `joining`: it has come to the checkpoint, and its states
 * are taken to those that are there. `clearing`: other definitions overtook all of it.
 */
type Phase = 'building' | 'joining' | 'clearing'

/** Builds what is defined and not kept yet, one build at a time, a step at a time. */
export class BuildWork {
  private phase: Phase | undefined
  private build: SegmentBuild | undefined
  private isPlanned = true
  private hasOrphans = true
  private readonly statements: ReturnType<typeof prepare>

  constructor(
    private readonly parts: BuildParts,
    private readonly catalog: Catalog,
    private readonly live: LiveSegments,
  ) {
    this.statements = prepare(parts.db)
    const row = this.statements.find.get()
    if (row === undefined) return
    const [phase, ...numbers] = valuesIn(row)
    const [prefix = 0, reached = 0, logTime = 0, scanned = 0, scannedFor = 0] = numbers.map(Number)
    this.phase = phaseOf(phase)
    const place = { prefix, reached, logTime, scanned, scannedFor }
    if (this.phase === 'building') this.build = new SegmentBuild(parts, place)
  }

  /** States of the build may still be where it wrote them. */
  get isJoining(): boolean {
    return this.phase === 'joining'
  }

  get isIdle(): boolean {
    return this.phase === undefined && !this.isPlanned && !this.hasOrphans
  }

  /** How far the build is of these that is under way, 0 to 1; undefined: there is none. */
  progressOf({ active }: DefinedSegment, head: number): number | undefined {
    if (this.parts.kept.get(active.id)?.bundle !== buildBundle) return undefined
    return head === 0 ? 0 : Math.min((this.build?.place.reached ?? 0) / head, 1)
  }

  /** To be called when there may be something else to build. */
  replan(): void {
    this.isPlanned = true
    this.hasOrphans = true
  }

  /** A slice of what there is to do. `head`: the position of the last fact that is applied. */
  step(head: number, slice: Slice): void {
    switch (this.phase) {
      case 'building':
        this.goOn(head, slice)
        return
      case 'joining':
        this.join(slice)
        return
      case 'clearing':
        this.clear()
        return
      case undefined:
        if (this.isPlanned) this.plan()
        else this.hasOrphans = this.parts.kept.removeSome(rowsAtOnce)
    }
  }

  private plan(): void {
    const prefix = this.nextPrefix()
    this.isPlanned = prefix !== undefined
    if (prefix === undefined) return
    for (const { active } of this.wantedAt(prefix)) this.parts.kept.begin(active.id, buildBundle)
    const place = { ...nowhere, prefix }
    this.build = new SegmentBuild(this.parts, place)
    this.keep('building', place)
  }

  /** Definitions up to the last one at which a segment still is what is to be built. */
  private nextPrefix(): number | undefined {
    const { catalog, parts } = this
    const isMissing = ({ active, isForeign }: DefinedSegment) =>
      !isForeign && parts.kept.get(active.id) === undefined
    const wanted = [...catalog.served, ...catalog.pending].find(isMissing)
    const last = catalog.timeline.steps.findLast(
      ({ segments }) => wanted !== undefined && segments.includes(wanted),
    )
    return last?.since.position
  }

  /** All that is not kept yet of what holds there and is wanted, with what that depends on. */
  private wantedAt(prefix: number): readonly DefinedSegment[] {
    const there = this.catalog.timeline.at(prefix)
    const wanted = new Set([...this.catalog.served, ...this.catalog.pending])
    const needed = new Set<string>()
    for (const { active } of [...there].reverse().filter((segment) => isNeeded(segment))) {
      needed.add(active.id)
      for (const id of active.rule?.segments ?? []) needed.add(id)
    }
    return there.filter(
      ({ active, isForeign }) =>
        needed.has(active.id) && !isForeign && this.parts.kept.get(active.id) === undefined,
    )

    function isNeeded(segment: DefinedSegment): boolean {
      return wanted.has(segment) || needed.has(segment.active.id)
    }
  }

  private goOn(head: number, slice: Slice): void {
    const { build } = this
    if (build === undefined || this.isOvertaken()) {
      this.build = undefined
      this.keep('clearing', nowhere)
      return
    }
    const isThere = build.step(head, slice)
    if (!isThere) {
      this.keep('building', build.place)
      return
    }
    this.parts.kept.move(buildBundle, liveBundle)
    this.parts.tellings.compare()
    this.keep('joining', build.place)
    this.build = undefined
    this.live.refresh(true)
  }

  /** Nothing of it is served or defined any longer. */
  private isOvertaken(): boolean {
    const wanted = [...this.catalog.served, ...this.catalog.pending]
    return !wanted.some(({ active }) => this.parts.kept.get(active.id)?.bundle === buildBundle)
  }

  private join(slice: Slice): void {
    const { rows } = this.live
    const entities = this.statements.entities.all(buildBundle, rowsAtOnce)
    let joined = 0
    if (rows === undefined) {
      this.keep('clearing', nowhere)
      return
    }
    for (const found of entities) {
      const row = rows.get(numbersIn(found)[0] ?? 0)
      if (row !== undefined) rows.change(row)
      joined += 1
      if (slice.endsHere()) break
    }
    this.live.write()
    if (joined < entities.length || joined === rowsAtOnce) return
    this.end()
    this.live.refresh(false)
  }

  private clear(): void {
    this.statements.clearMemberships.run(buildBundle, buildBundle, rowsAtOnce)
    this.statements.clear.run(buildBundle, buildBundle, rowsAtOnce)
    if (this.statements.entities.get(buildBundle, 1) !== undefined) return
    for (const { active } of this.parts.kept.of(buildBundle)) this.parts.kept.drop(active)
    this.end()
  }

  private keep(phase: Phase, place: BuildPlace): void {
    const { prefix, reached, logTime, scanned, scannedFor } = place
    this.phase = phase
    this.statements.forget.run()
    this.statements.keep.run(phase, prefix, reached, logTime, scanned, scannedFor)
  }

  private end(): void {
    this.phase = undefined
    this.statements.forget.run()
    this.replan()
  }
}

function phaseOf(text: unknown): Phase {
  switch (text) {
    case 'building':
    case 'joining':
    case 'clearing':
      return text
    default:
      throw new TypeError('expected a phase of a build')
  }
}

/** Entities of a bundle, as many as asked for. */
const ofTheFirst = `WHERE bundle = ?1 AND entity IN (
  SELECT entity FROM states WHERE bundle = ?2 ORDER BY entity LIMIT ?3)`

function prepare(db: Database) {
  return {
    find: prepareRows(
      db,
      'SELECT phase, prefix, reached, log_time, scanned, scanned_for FROM build',
    ),
    keep: db.prepare('INSERT INTO build VALUES (?, ?, ?, ?, ?, ?)'),
    forget: db.prepare('DELETE FROM build'),
    entities: prepareRows(db, 'SELECT entity FROM states WHERE bundle = ? ORDER BY entity LIMIT ?'),
    clear: db.prepare(`DELETE FROM states ${ofTheFirst}`),
    clearMemberships: db.prepare(`DELETE FROM memberships ${ofTheFirst}`),
  } satisfies Record<string, Statement>
}
