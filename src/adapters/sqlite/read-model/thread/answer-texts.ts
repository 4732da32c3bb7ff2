import { JsonText } from '../../../../domain/json.js'
import type {
  EntityProfile,
  FeedFact,
  HistoryItem,
  ListedEntity,
  Queries,
  QueryName,
  SearchHit,
  TimelineItem,
} from '../../../../application/reading/ports/read-model.js'
import type { OutgoingFact } from '../../../../application/webhooks/ports/webhook-queries.js'
import type { SegmentMember } from '../../../../application/segments/ports/segment-queries.js'

/**
 * The shape of an answer: the form in which each member is written when the answer is sent to another thread.
 * An answer is sent as one text, which costs a tenth of copying its objects.
 *
 * An answer that contains a `JsonText` has a shape in `shapes`. Its text is a list of fields, so that no
 * `JsonText` is parsed or escaped. Every other answer is written as JSON. The compiler checks that `shapes`
 * contains exactly the answers that cannot be written as JSON.
 */
type Shape<T> = { readonly [Name in keyof T]-?: Form<T[Name]> }

/**
 * The form of one member:
 * - `object`: the text of a `JsonText`;
 * - `text`: a string that is always present;
 * - `json`: a value as JSON.
 *
 * A list of items must be the last member.
 */
type Form<Value> =
  IsJson<Value> extends true
    ? 'json' | ([Value] extends [string] ? 'text' : never)
    : NonNullable<Value> extends JsonText
      ? 'object'
      : Value extends readonly (infer Item)[]
        ? readonly [Shape<Item>]
        : never

/** True if a value of this type is unchanged after `JSON.stringify` and `JSON.parse`. */
type IsJson<T> = [T] extends [OnlyJson<T>] ? true : false

/**
 * The type `T`, with `never` for each member that JSON cannot represent. A member of type `unknown` counts as
 * JSON.
 */
type OnlyJson<T> = unknown extends T
  ? T
  : T extends JsonText | Date | bigint | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
    ? never
    : { readonly [Name in keyof T]: OnlyJson<T[Name]> }

/**
 * Separates fields. The separator is a control character, which JSON texts, names, ids and times never contain.
 */
const separator = '\u001f'

const found: Shape<Omit<ListedEntity, 'lastEventAt'>> = {
  externalId: 'text',
  entityId: 'text',
  properties: 'object',
  createdAt: 'text',
  recordedAt: 'text',
  updatedAt: 'text',
}

const listed: Shape<ListedEntity> = { ...found, lastEventAt: 'json' }

const profile: Shape<EntityProfile> = {
  ...listed,
  eventCount: 'json',
  segments: 'json',
  segmentsBuilding: 'json',
}

const hit: Shape<SearchHit> = {
  ...found,
  eventId: 'json',
  occurredAt: 'json',
  voidedAt: 'json',
}

const event: Shape<TimelineItem> = {
  id: 'text',
  name: 'text',
  properties: 'object',
  recordedAt: 'text',
  occurredAt: 'text',
  voidedAt: 'json',
  voidReason: 'json',
}

const change: Shape<HistoryItem> = {
  factId: 'text',
  changedAt: 'text',
  occurredAt: 'text',
  set: 'object',
  unset: 'json',
  requestId: 'text',
}

const fact: Shape<FeedFact> = {
  position: 'json',
  id: 'text',
  type: 'text',
  stream: 'text',
  data: 'object',
  requestId: 'text',
}

const member: Shape<SegmentMember> = {
  externalId: 'text',
  entityId: 'text',
  since: 'text',
  properties: 'object',
}

const outgoing: Shape<OutgoingFact> = {
  position: 'json',
  id: 'text',
  type: 'text',
  at: 'text',
  erasureId: 'json',
  isProfileOmitted: 'json',
  data: 'object',
  profile: 'object',
}

type Answered<Name extends QueryName> = NonNullable<Queries[Name]['answer']>

type Shapes = {
  readonly [Name in QueryName as IsJson<Answered<Name>> extends true ? never : Name]: Shape<
    Answered<Name>
  >
}

const shapes = {
  profile,
  profileAt: profile,
  entities: { next: 'json', items: [listed] },
  entitiesByName: { next: 'json', items: [listed] },
  entitiesByProperty: { next: 'json', items: [listed] },
  entityById: listed,
  entitiesByLastEvent: { next: 'json', items: [listed] },
  searchEntities: {
    isIndexed: 'json',
    entities: 'json',
    done: 'json',
    next: 'json',
    items: [hit],
  },
  timeline: { next: 'json', items: [event] },
  history: { next: 'json', items: [change] },
  facts: { reached: 'json', atHead: 'json', facts: [fact] },
  webhookFact: outgoing,
  segmentMembers: {
    version: 'json',
    members: 'json',
    digest: 'text',
    next: 'json',
    items: [member],
  },
} satisfies Shapes

export function writeAnswer<Name extends QueryName>(name: Name, answer: Answered<Name>): string {
  const members = membersOf.get(name)
  if (members === undefined) return JSON.stringify(answer)
  const fields: string[] = []
  putFields(members, answer, fields)
  return fields.join(separator)
}

export function readAnswer<Name extends QueryName>(name: Name, text: string): Answered<Name> {
  const members = membersOf.get(name)
  const read: unknown = members === undefined ? JSON.parse(text) : new Fields(text).take(members)
  // Not validated: the reading thread wrote the text, and it runs the same program.
  return read as Answered<Name>
}

type Members = readonly (readonly [name: string, form: string | Members])[]

function membersIn(shape: object): Members {
  return Object.entries(shape).map(([name, form]: [string, string | readonly [object]]) => [
    name,
    typeof form === 'string' ? form : membersIn(form[0]),
  ])
}

const membersOf: ReadonlyMap<string, Members> = new Map(
  Object.entries(shapes).map(([name, shape]) => [name, membersIn(shape)]),
)

function putFields(members: Members, answer: object, fields: string[]): void {
  for (const [name, form] of members) {
    const value: unknown = Reflect.get(answer, name)
    if (value === undefined) fields.push('')
    else if (value instanceof JsonText) fields.push(value.text)
    else if (typeof form !== 'string') putItems(form, value, fields)
    else fields.push(form === 'text' && typeof value === 'string' ? value : JSON.stringify(value))
  }
}

function putItems(members: Members, items: unknown, fields: string[]): void {
  if (!Array.isArray(items)) throw new TypeError('expected a list')
  for (const item of items as readonly object[]) putFields(members, item, fields)
}

class Fields {
  private at = 0
  private readonly fields: readonly string[]

  constructor(text: string) {
    this.fields = text.split(separator)
  }

  take(members: Members): object {
    const answer: Record<string, unknown> = {}
    for (const [name, form] of members) {
      if (typeof form === 'string') this.takeOne(answer, name, form)
      else answer[name] = this.takeAll(form)
    }
    return answer
  }

  private takeAll(members: Members): readonly object[] {
    const items: object[] = []
    while (this.at < this.fields.length) items.push(this.take(members))
    return items
  }

  /**
   * Reads one field. A field is empty if its value was undefined. If a `JsonText` was undefined, the answer has
   * no such member.
   */
  private takeOne(answer: Record<string, unknown>, name: string, form: string): void {
    const field = this.fields[this.at]
    if (field === undefined) throw new TypeError('expected one more field')
    this.at += 1
    if (form === 'text') answer[name] = field
    else if (form === 'json') answer[name] = field === '' ? undefined : JSON.parse(field)
    else if (field !== '') answer[name] = new JsonText(field)
  }
}
