import type { Dictionary, DictionaryProperty, Segment } from '../../../client/dossier.js'
import { shownNumber } from '../../parts/numbers.js'
import { pointerWords } from '../../parts/pointer-words.js'
import type { TypedName, TypedValue } from '../rows/rows.js'
import type { KnownName } from './known-name.js'
import type { Vocabulary } from './vocabulary.js'

/** Returns the names that the builder offers, from the recorded names. */
export function vocabularyOf(
  { events, properties }: Pick<Dictionary, 'events' | 'properties'>,
  segments: readonly Segment[],
): Vocabulary {
  const propertiesIn = ({ text, isPrefix }: TypedName) =>
    isPrefix
      ? ofOnePointer(
          events.filter(({ name }) => name.startsWith(text)).flatMap((one) => one.properties),
        )
      : (events.find(({ name }) => name === text)?.properties ?? [])
  return {
    events: events.map(({ name, count }) => ({
      value: name,
      words: `${name} · ${shownNumber(count)}`,
    })),
    properties: properties.filter(hasScalars).map(knownProperty),
    segments: segments.map(({ key, title }) => ({ value: key, words: `${title} · ${key}` })),
    propertiesOf: (event) => propertiesIn(event).filter(hasScalars).map(knownProperty),
    typeOf: (pointer, event) => {
      const among = event === undefined ? properties : propertiesIn(event)
      return typeIn(among.find((one) => one.pointer === pointer)?.types ?? {})
    },
  }
}

/** Returns the properties of several events, each pointer only once. */
function ofOnePointer(properties: readonly DictionaryProperty[]): readonly DictionaryProperty[] {
  return [...new Map(properties.map((one) => [one.pointer, one])).values()]
}

/** Returns whether the property has values other than objects. Tests cannot pass for objects. */
function hasScalars({ types }: DictionaryProperty): boolean {
  return Object.keys(types).some((type) => type !== 'object')
}

function knownProperty({ pointer, count }: DictionaryProperty): KnownName {
  return { value: pointer, words: `${pointerWords(pointer)} · ${shownNumber(count)}` }
}

const types: Readonly<Partial<Record<string, TypedValue['type']>>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
}

function typeIn(counts: DictionaryProperty['types']): TypedValue['type'] | undefined {
  const [one, another] = Object.keys(counts).filter((type) => type !== 'null')
  return another === undefined && one !== undefined ? types[one] : undefined
}
