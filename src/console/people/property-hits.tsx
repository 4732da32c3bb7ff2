import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { addressOf } from '../frame/route.js'
import { Card } from '../parts/card.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { useDictionary } from '../parts/use-dictionary.js'
import { placeName, searchPlaces } from './columns.js'
import { HitTable } from './hit-table.js'
import { lookedWords } from './looked-words.js'
import { StopLink } from './stop-link.js'
import { useLookThrough } from './use-look-through.js'

/** The maximum number of properties that the page searches automatically, one after another. */
const searchedAtMost = 24

/** The people who have the text as the value of any property of theirs or of their events. */
export function PropertyHits({ text }: { text: string }): JSX.Element {
  const dictionary = useDictionary()
  const { value } = dictionary
  const isKnown = value !== undefined
  const places = useMemo(() => (value === undefined ? undefined : searchPlaces(value)), [isKnown])
  const searched = useMemo(() => places?.slice(0, searchedAtMost), [places])
  const { found, isBusy, error, stop } = useLookThrough(searched, text)
  const hits = found.filter((one) => one.hits.length > 0)
  const rest = isBusy ? [] : (places ?? []).slice(found.length)
  return (
    <Card
      title="Properties"
      note={lookedWords(found, isBusy)}
      aside={isBusy && <StopLink stop={stop} />}
    >
      <Trouble error={dictionary.error ?? error} />
      {hits.length > 0 ? (
        <HitTable found={hits} />
      ) : isBusy ? (
        <Skeleton rows={2} />
      ) : (
        error === undefined && <p class="sub">No property is exactly this text.</p>
      )}
      {rest.length > 0 && (
        <p class="note row">
          Not searched:
          {rest.slice(0, 50).map((place) => (
            <a
              key={placeName(place)}
              href={addressOf(['people'], {
                event: place.event,
                property: place.property,
                is: text,
              })}
            >
              <bdi>{placeName(place)}</bdi>
            </a>
          ))}
        </p>
      )}
    </Card>
  )
}
