import type { EventRecorded } from '../../domain/event.js'
import type { JsonObject } from '../../domain/json.js'
import { factTable } from './fact-table.js'
import { type StoredFact, UnreadableFact } from './stored-fact.js'

const { type, version } = factTable.EventRecorded

/** `plain` matches the inside of a JSON string without escapes. `string` matches any JSON string. */
const plain = String.raw`[^"\\\x00-\x1f]*`
const string = String.raw`"${plain}(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})${plain})*"`
const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?`
const member = `${string}:(?:${string}|${number}|true|false|null)`
const properties = String.raw`\{(?:${member}(?:,${member})*)?\}`

const date =
  '(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8]))'
const instant = String.raw`"(\d{4}-${date}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z)"`

/**
 * Matches the data of an event as `toStored` writes it. Events on a leap day and events with nested
 * properties do not match, so `readFact` reads them.
 */
const dataPattern = new RegExp(
  String.raw`^\{"entityExternalId":"(${plain})","name":"(${plain})","properties":${properties},` +
    String.raw`"recordedAt":${instant}(?:,"occurredAt":${instant})?\}$`,
)
const metadataPattern = new RegExp(
  String.raw`^\{"schemaVersion":${String(version)},"\$correlationId":"${plain}"` +
    String.raw`(?:,"\$causationId":"${plain}")?(?:,"idempotencyKey":"${plain}")?\}$`,
)

/** The maximum length of data to read lazily, in characters. The result keeps the whole text in memory. */
const maxLength = 4_096

/**
 * Reads an event, and parses its properties only when they are accessed. Parsing is two thirds of
 * the cost of reading, and a list of positions does not need the properties. Returns undefined for
 * text that is not in the most common form. The caller then uses `readFact`. An event that is
 * returned always equals the result of `readFact`.
 */
export function lazyEvent(stored: StoredFact): EventRecorded | undefined {
  if (stored.type !== type || stored.data.length > maxLength) return undefined
  const found = dataPattern.exec(stored.data)
  if (found === null || !metadataPattern.test(stored.metadata)) return undefined
  const [, entityExternalId = '', name = '', recordedAt = '', occurredAt] = found
  const data = new LazyData(stored, entityExternalId, name, recordedAt)
  if (occurredAt !== undefined) data.occurredAt = occurredAt
  return { id: stored.id, type, data }
}

type Data = EventRecorded['data']

/** An event whose text contains its properties without nested values. */
export interface FlatEvent {
  readonly text: string
  /** The index of the opening brace of the properties. */
  readonly propertiesStart: number
}

/** Returns an event from `lazyEvent` as text. Returns undefined for any other event. */
export function flatEvent(event: object): FlatEvent | undefined {
  return event instanceof LazyData ? event : undefined
}

const besideNames = '{"entityExternalId":"","name":"","properties":'.length

class LazyData implements Data, FlatEvent {
  declare occurredAt?: string
  private parsed: JsonObject | undefined

  constructor(
    private readonly stored: StoredFact,
    readonly entityExternalId: string,
    readonly name: string,
    readonly recordedAt: string,
  ) {}

  get text(): string {
    return this.stored.data
  }

  get propertiesStart(): number {
    return besideNames + this.entityExternalId.length + this.name.length
  }

  get properties(): JsonObject {
    this.parsed ??= factTable.EventRecorded.read(this.stored)?.data.properties
    if (this.parsed === undefined)
      throw new UnreadableFact(`fact ${this.stored.id} is not an event`)
    return this.parsed
  }
}
