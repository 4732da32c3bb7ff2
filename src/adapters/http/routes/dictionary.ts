import { z } from 'zod'
import type {
  DictionaryEvent,
  DictionaryProperty,
  TotalsDay,
} from '../../../application/reading/ports/dictionary-queries.js'
import { propertyTypes } from '../../../domain/property-types.js'
import { dayOrInstant } from '../requests/parameters.js'
import { noQuery, queryFault } from '../requests/query.js'
import { readRoute } from './declared-read.js'
import { plainPath } from './route.js'
import { count, itemsOf, success } from '../schemas/common.js'

const day = (description: string) => z.string().meta({ format: 'date', description })

const countOfType = count.optional()

const dictionaryProperty = z
  .strictObject({
    pointer: z.string().meta({
      description: 'The JSON pointer of the property, with up to three steps.',
      examples: ['/address/city'],
    }),
    types: z
      .strictObject({
        string: countOfType.meta({ description: 'The number of texts.' }),
        number: countOfType.meta({ description: 'The number of numbers.' }),
        boolean: countOfType.meta({ description: 'The number of true and false.' }),
        null: countOfType.meta({ description: 'The number of nulls.' }),
        object: countOfType.meta({ description: 'The number of objects.' }),
        array: countOfType.meta({ description: 'The number of arrays.' }),
      })
      .meta({ description: 'The number of values by JSON type. A type without values is absent.' }),
    count: count.meta({ description: 'The number of values of all types.' }),
  })
  .meta({ id: 'DictionaryProperty' })

const dictionaryEvent = z
  .strictObject({
    name: z.string().meta({ description: 'The name of the events.' }),
    count: count.meta({ description: 'The number of events.' }),
    first_day: day("The UTC day of the first event, by the events' own times."),
    last_day: day("The UTC day of the last event, by the events' own times."),
    properties: itemsOf(
      dictionaryProperty,
      'The properties of the events, the most frequent first.',
    ),
  })
  .meta({ id: 'DictionaryEvent' })

const dictionaryReply = success(
  {
    events: itemsOf(dictionaryEvent, 'The names of events, the most frequent first.'),
    properties: itemsOf(
      dictionaryProperty,
      'The properties of the profiles as they are now, the most frequent first.',
    ),
    complete: z.boolean().meta({
      description:
        'Whether all names and properties are present. False if there are too many, or while ' +
        'events are being counted again.',
    }),
  },
  'Dictionary',
).meta({ id: 'DictionaryReply' })

export function typesData(
  types: DictionaryProperty['types'],
): z.infer<typeof dictionaryProperty>['types'] {
  return Object.fromEntries(
    propertyTypes.flatMap((type) => (types[type] === undefined ? [] : [[type, types[type]]])),
  )
}

function propertyData(property: DictionaryProperty): z.infer<typeof dictionaryProperty> {
  const { pointer, types, count: all } = property
  return { pointer, types: typesData(types), count: all }
}

function eventData(event: DictionaryEvent): z.infer<typeof dictionaryEvent> {
  const { name, count: all, firstDay: first_day, lastDay: last_day, properties } = event
  return { name, count: all, first_day, last_day, properties: properties.map(propertyData) }
}

const getDictionary = readRoute({
  operationId: 'getDictionary',
  summary: 'All names of events and properties, with counts and JSON types.',
  description:
    'Up to 1,000 event names, and up to 200 properties of each event name and of the profiles. ' +
    'Contains no values.',
  path: plainPath('/dictionary'),
  query: noQuery,
  reply: dictionaryReply,
  faults: [],
  answer: async ({ want }, { reading }) => {
    const { value, position } = await reading.read('dictionary', {}, want)
    const { events, properties, isComplete: complete } = value
    const data = {
      events: events.map(eventData),
      properties: properties.map(propertyData),
      complete,
    }
    return { data, position }
  },
})

const dayMs = 86_400_000
const maxDays = 400
const defaultDays = 30

const totalsDay = z
  .strictObject({
    day: day('The UTC day.'),
    new_people: count.meta({ description: 'The number of entities that were created.' }),
    events: z.record(z.string(), count).meta({
      description:
        'The number of events by name. An event counts on the day of its own time. Contains the 20 ' +
        'most frequent names of all returned days. A name without events on this day is absent.',
    }),
    others: count.meta({ description: 'The number of events with other names.' }),
  })
  .meta({ id: 'TotalsDay' })

const totalsReply = success(
  {
    people: count.meta({ description: 'The number of entities that exist now.' }),
    events: count.meta({ description: 'The number of events of these entities.' }),
    days: itemsOf(totalsDay, 'The days, oldest first.'),
  },
  'Totals',
).meta({ id: 'TotalsReply' })

function totalsData({
  day: date,
  newPeople: new_people,
  events,
  others,
}: TotalsDay): z.infer<typeof totalsDay> {
  return { day: date, new_people, events: Object.fromEntries(events), others }
}

const getTotals = readRoute({
  operationId: 'getTotals',
  summary: 'The number of entities and events, in total and per day.',
  description:
    `Every UTC day of the period, at most ${String(maxDays)} days. The numbers are current: an ` +
    'erased entity and its events are not counted on any day.',
  path: plainPath('/totals'),
  query: z.strictObject({
    since: dayOrInstant(`The first day. Default: ${String(defaultDays)} days before the end.`),
    until: dayOrInstant('Only days that begin before this time. Default: up to now.'),
  }),
  reply: totalsReply,
  faults: [],
  answer: async ({ query: { since, until }, want }, { reading, clock }) => {
    const end = Math.ceil((until ?? clock.now().getTime() + 1) / dayMs)
    const begin = since === undefined ? end - defaultDays : Math.floor(since / dayMs)
    refuseTooLong(begin, end)
    const { value, position } = await reading.read('totals', { since: begin, until: end }, want)
    const { people, events, days } = value
    return { data: { people, events, days: days.map(totalsData) }, position }
  },
})

/** Throws `malformed_request` when there are no days, or more than `maxDays`. */
function refuseTooLong(begin: number, end: number): void {
  if (begin < end && end - begin <= maxDays) return
  const message = `must be before until, and at most ${String(maxDays)} days before until or now`
  throw queryFault('since', 'number_out_of_range', message)
}

export const dictionaryReads = [getDictionary, getTotals]
