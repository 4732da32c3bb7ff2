import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { addressOf, goInstead } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Card } from '../parts/card.js'
import { Person, Text } from '../parts/id.js'
import { PageHead } from '../parts/page-head.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'
import { useAnswer } from '../parts/use-answer.js'
import { lookUp, onlyOne } from './look-up.js'
import { NotFound } from './not-found.js'
import { PropertyHits } from './property-hits.js'

/**
 * The people whom a text may mean, by id, entity id or any property. If the text is exactly one person's id, opens the
 * person's page.
 */
export function Search({ text }: { text: string }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(['look up', text], (signal) => lookUp(client, text, signal), 0)
  const only = value === undefined ? undefined : onlyOne(value)
  useEffect(() => {
    if (only !== undefined) goInstead(addressOf(['people', only]))
  }, [only])
  if (value === undefined || only !== undefined) {
    return (
      <>
        <PageHead title="Search" />
        <Trouble error={error} />
        {error === undefined && <Skeleton />}
      </>
    )
  }
  const ids = value.flatMap((finding) => finding.ids)
  return (
    <>
      <PageHead title="Search" sub={<SearchedFor text={text} />} />
      {ids.length > 0 && (
        <Card title="Ids" note={`that begin with “${text}”`}>
          <ul class="hits">
            {ids.map((id) => (
              <li key={id}>
                <Person id={id} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      <PropertyHits text={text} />
      {ids.length === 0 && <NotFound id={text} />}
    </>
  )
}

function SearchedFor({ text }: { text: string }): JSX.Element {
  return (
    <>
      for “<Text text={text} />” in ids, entity ids, and the properties of people and events
    </>
  )
}
