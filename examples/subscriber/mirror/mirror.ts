import { Checkpoint, checkpointTable } from '../checkpoint.js'
import { inTransaction, openDatabase, rowsOf, type Database } from '../database.js'
import { ProcessedFacts, processedFactsTable } from '../processed-facts.js'
import { Members, membersTable } from './members.js'
import { MirrorState, mirrorStateTable } from './mirror-state.js'
import type { Place } from './place.js'
import type { Change } from './segment-facts.js'

/** An entity that entered: whoever acts on it finds it here once. */
export interface Entered {
  readonly factId: string
  readonly entityId: string
  /** When it entered. */
  readonly at: string
}

/** Members as the service listed them. */
export interface MemberList {
  readonly version: number
  readonly entityIds: readonly string[]
  /** Where the service was when it gave the first page. */
  readonly place: Place
}

const enteredTable = `
  CREATE TABLE IF NOT EXISTS entered (
    fact_id TEXT PRIMARY KEY,
    entity_id TEXT NOT NULL,
    at TEXT NOT NULL
  ) STRICT;`

const tables =
  membersTable + enteredTable + mirrorStateTable + processedFactsTable + checkpointTable

/**
 * The members of one segment, who entered since the mirror began, and how far it has followed. Each
 * method that changes it is one transaction.
 */
export class SegmentMirror {
  readonly members: Members
  private readonly state: MirrorState
  private readonly checkpoint: Checkpoint
  private readonly processed: ProcessedFacts
  private readonly statements: ReturnType<typeof prepare>

  private constructor(private readonly db: Database) {
    this.members = new Members(db)
    this.state = new MirrorState(db)
    this.checkpoint = new Checkpoint(db)
    this.processed = new ProcessedFacts(db)
    this.statements = prepare(db)
  }

  /** The file and its folder are made when missing. */
  static open(path: string): SegmentMirror {
    return new SegmentMirror(openDatabase(path, tables))
  }

  /** Undefined before `begin`. */
  get segment(): string | undefined {
    return this.state.value?.segment
  }

  /** Who entered is known from this position on. */
  get since(): string | undefined {
    return this.state.value?.since
  }

  /** Where to go on; undefined before `begin`. */
  get place(): Place | undefined {
    const { position } = this.checkpoint
    return position && { ...position, idBegins: this.state.value?.idBegins }
  }

  entered(): readonly Entered[] {
    const rows = this.statements.entered.all() as (readonly [string, string, string])[]
    return rows.map(([factId, entityId, at]) => ({ factId, entityId, at }))
  }

  /** The first list, and the place from which to follow: who is in it entered before. */
  begin(segment: string, { version, entityIds, place }: MemberList): void {
    this.atomically(() => {
      this.state.begin(segment, String(place.commit))
      this.state.listed(version)
      this.members.replace(entityIds)
      this.keep(place)
    })
  }

  /** `place` is that of the fact for which the list was taken, or the mirror's own. */
  replace({ version, entityIds }: Omit<MemberList, 'place'>, place: Place): void {
    this.atomically(() => {
      this.state.listed(version)
      this.members.replace(entityIds)
      this.keep(place)
    })
  }

  /** One who entered or left. Members are a set: the list may have known before. */
  apply(fact: Change, place: Place): void {
    this.atomically(() => {
      if (!this.isOfRetired(fact.data.version) && this.processed.add(fact)) this.change(fact)
      this.keep(place)
    })
  }

  /** What is told of this version and of earlier ones from here on is passed over. */
  retire(version: number, place: Place): void {
    this.atomically(() => {
      // Else the list is one of a later definition.
      if (version >= this.state.version) this.members.replace([])
      this.state.retired(version)
      this.keep(place)
    })
  }

  /** Whether the segment was retired at this version, or at a later one. */
  isOfRetired(version: number): boolean {
    return version <= this.state.retiredVersion
  }

  /** Nothing of the segment up to here. */
  moveTo(place: Place): void {
    this.atomically(() => {
      this.keep(place)
    })
  }

  close(): void {
    this.db.close()
  }

  private change({ id, type, data }: Change): void {
    const { entityId, at, version } = data
    if (type === 'EntityEnteredSegment') this.statements.enter.run(id, entityId.toLowerCase(), at)
    // A list that was taken late knows all of the versions before its own.
    if (version < this.state.version) return
    if (type === 'EntityEnteredSegment') this.members.add(entityId)
    else this.members.remove(entityId)
  }

  private keep(place: Place): void {
    this.checkpoint.keep(place)
    this.state.reached(place.idBegins)
  }

  private atomically(work: () => void): void {
    try {
      inTransaction(this.db, work)
    } catch (error) {
      this.members.readAgain()
      throw error
    }
  }
}

function prepare(db: Database) {
  return {
    enter: db.prepare('INSERT INTO entered (fact_id, entity_id, at) VALUES (?, ?, ?)'),
    entered: rowsOf(db.prepare('SELECT fact_id, entity_id, at FROM entered ORDER BY rowid')),
  }
}
