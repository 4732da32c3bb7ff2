import { JsonText } from '../../../../domain/json.js'
import type {
  EntityProfile,
  FactsPage,
  FeedFact,
  HistoryItem,
  ListedEntity,
  Part,
  Queries,
  QueryName,
  TimelineCursor,
  TimelineItem,
} from '../../../../application/reading/ports/read-model.js'

import type {
  MembersPage,
  SegmentMember,
} from '../../../../application/segments/ports/segment-queries.js'

/**
 * How answers go between threads: as one text each, which costs a tenth of a copy of their objects. Those
 * with a `JsonText` in them are fields one after another, so that nothing in them is parsed or escaped, and
 * have an entry in `answerTexts`; all others are JSON.
 */
interface AnswerText<T> {
  readonly write: (answer: T) => string
  readonly read: (text: string) => T
}

/** In no JSON text, and in no name, id or time: all of them are without control characters. */
const separator = '\u001f'

class Fields {
  private at = 0
  private readonly fields: readonly string[]

  constructor(text: string) {
    this.fields = text.split(separator)
  }

  get isAtEnd(): boolean {
    return this.at === this.fields.length
  }

  text(): string {
    const field = this.fields[this.at]
    if (field === undefined) throw new TypeError('expected one more field')
    this.at += 1
    return field
  }

  /** Undefined where it is empty. */
  optionalText(): string | undefined {
    const text = this.text()
    return text === '' ? undefined : text
  }

  json(): JsonText {
    return new JsonText(this.text())
  }

  /** Mostly an empty one. */
  list(): unknown {
    const text = this.text()
    return text === '[]' ? [] : JSON.parse(text)
  }

  /** JSON of the type that was written: both threads are of one program. */
  parsed(): unknown {
    return JSON.parse(this.text())
  }
}

function page<Answer, Head, Item>(
  parts: (answer: Answer) => { readonly head: Head; readonly items: readonly Item[] },
  whole: (head: Head, items: readonly Item[]) => Answer,
  write: (item: Item) => string,
  read: (fields: Fields) => Item,
): AnswerText<Answer> {
  return {
    write: (answer) => {
      const { head, items } = parts(answer)
      let text = JSON.stringify(head)
      for (const item of items) text += separator + write(item)
      return text
    },
    read: (text) => {
      const fields = new Fields(text)
      const head = fields.parsed() as Head
      const items: Item[] = []
      while (!fields.isAtEnd) items.push(read(fields))
      return whole(head, items)
    },
  }
}

function part<Item, Cursor>(write: (item: Item) => string, read: (fields: Fields) => Item) {
  return page<Part<Item, Cursor>, { readonly next?: Cursor | undefined }, Item>(
    ({ items, next }) => ({ head: { next }, items }),
    ({ next }, items) => ({ items, next }),
    write,
    read,
  )
}

function writeListed(entity: ListedEntity): string {
  const { externalId, entityId, properties, createdAt, updatedAt } = entity
  return [externalId, entityId, properties.text, createdAt, updatedAt].join(separator)
}

function readListed(fields: Fields): ListedEntity {
  return {
    externalId: fields.text(),
    entityId: fields.text(),
    properties: fields.json(),
    createdAt: fields.text(),
    updatedAt: fields.text(),
  }
}

function listedPart<Cursor>() {
  return part<ListedEntity, Cursor>(writeListed, readListed)
}

const listed: AnswerText<ListedEntity> = {
  write: writeListed,
  read: (text) => readListed(new Fields(text)),
}

const profile: AnswerText<EntityProfile> = {
  write: (entity) => {
    const { eventCount, lastEventAt = '', segments, segmentsBuilding } = entity
    return [
      writeListed(entity),
      String(eventCount),
      lastEventAt,
      JSON.stringify(segments),
      JSON.stringify(segmentsBuilding),
    ].join(separator)
  },
  // Written out: to spread parts of it took longer than all else that is done with a profile here.
  read: (text) => {
    const fields = new Fields(text)
    return {
      externalId: fields.text(),
      entityId: fields.text(),
      properties: fields.json(),
      createdAt: fields.text(),
      updatedAt: fields.text(),
      eventCount: Number(fields.text()),
      lastEventAt: fields.optionalText(),
      segments: fields.list() as EntityProfile['segments'],
      segmentsBuilding: fields.list() as EntityProfile['segmentsBuilding'],
    }
  },
}

const timeline = part<TimelineItem, TimelineCursor>(
  ({ id, name, properties, recordedAt, occurredAt }) =>
    [id, name, properties.text, recordedAt, occurredAt].join(separator),
  (fields) => ({
    id: fields.text(),
    name: fields.text(),
    properties: fields.json(),
    recordedAt: fields.text(),
    occurredAt: fields.text(),
  }),
)

const facts = page<FactsPage, Omit<FactsPage, 'facts'>, FeedFact>(
  ({ facts: items, ...head }) => ({ head, items }),
  (head, items) => ({ ...head, facts: items }),
  ({ position, id, type, stream, data, requestId }) =>
    [String(position), id, type, stream, data.text, requestId].join(separator),
  (fields) => ({
    position: Number(fields.text()),
    id: fields.text(),
    type: fields.text(),
    stream: fields.text(),
    data: fields.json(),
    requestId: fields.text(),
  }),
)

function json<T>(): AnswerText<T> {
  return { write: (answer) => JSON.stringify(answer), read: (text) => JSON.parse(text) as T }
}

type Answered<Name extends QueryName> = NonNullable<Queries[Name]['answer']>

type AnswerTexts = { readonly [Name in QueryName]?: AnswerText<Answered<Name>> }

/** Answers that have texts of their own, by the names of their queries. */
export const answerTexts = {
  profile,
  profileAt: profile,
  entities: listedPart<number>(),
  entitiesByName: listedPart<string>(),
  entitiesByProperty: listedPart<number>(),
  entityById: listed,
  timeline,
  history: part<HistoryItem, number>(
    ({ factId, changedAt, set, unset, requestId }) =>
      [factId, changedAt, set.text, JSON.stringify(unset), requestId].join(separator),
    (fields) => ({
      factId: fields.text(),
      changedAt: fields.text(),
      set: fields.json(),
      unset: fields.parsed() as readonly string[],
      requestId: fields.text(),
    }),
  ),
  facts,
  segmentMembers: page<MembersPage, Omit<MembersPage, 'items'>, SegmentMember>(
    ({ items, ...head }) => ({ head, items }),
    (head, items) => ({ ...head, items }),
    ({ externalId, entityId, since, properties }) =>
      [externalId, entityId, since, properties?.text ?? ''].join(separator),
    (fields) => {
      const [externalId, entityId, since] = [fields.text(), fields.text(), fields.text()]
      const properties = fields.optionalText()
      const member = { externalId, entityId, since }
      return properties === undefined ? member : { ...member, properties: new JsonText(properties) }
    },
  ),
} satisfies AnswerTexts

export function writeAnswer<Name extends QueryName>(name: Name, answer: Answered<Name>): string {
  return answerText(name).write(answer)
}

export function readAnswer<Name extends QueryName>(name: Name, text: string): Answered<Name> {
  return answerText(name).read(text)
}

function answerText<Name extends QueryName>(name: Name): AnswerText<Answered<Name>> {
  const texts: AnswerTexts = answerTexts
  return texts[name] ?? json()
}
