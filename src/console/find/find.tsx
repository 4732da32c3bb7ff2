import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { DossierError } from '../../client/dossier.js'
import { addressOf, go, type Route } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Person } from '../parts/id.js'
import { Trouble } from '../parts/trouble.js'
import { Nobody } from './nobody.js'
import { lookUp, type Finding } from './look-up.js'

/** One box that takes anything, and says what it tried. */
export function Find({ query }: Route): JSX.Element {
  const { client } = useSession()
  const [text, setText] = useState(query.get('q') ?? '')
  const [findings, setFindings] = useState<readonly Finding[]>()
  const [error, setError] = useState<DossierError>()
  const find = async () => {
    setError(undefined)
    setFindings(undefined)
    try {
      const found = await lookUp(client, text.trim())
      setFindings(found)
      const [only, other] = found.flatMap(({ ids, isExact }) => (isExact ? ids : []))
      if (only !== undefined && other === undefined) go(addressOf(['people', only]))
    } catch (reason) {
      if (!(reason instanceof DossierError)) throw reason
      setError(reason)
    }
  }
  return (
    <>
      <h1>Find a person</h1>
      <form
        role="search"
        class="find"
        onSubmit={(event) => {
          event.preventDefault()
          void find()
        }}
      >
        <input
          type="search"
          autofocus
          required
          aria-label="An id, how it begins, a mail address, or an entity id"
          placeholder="an id, how it begins, a mail address, or an entity id"
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value)
          }}
        />
        <button type="submit">Find</button>
      </form>
      <Trouble error={error} isSent />
      {findings?.map(({ tried, ids }) => (
        <section key={tried}>
          <p>
            {tried}: {ids.length === 0 ? 'nobody' : ''}
          </p>
          <ul>
            {ids.map((id) => (
              <li key={id}>
                <Person id={id} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      <h2>Or ask</h2>
      <ul>
        <li>
          <a href={addressOf(['segments', '+'], { like: 'yesterday' })}>
            Who bought most yesterday
          </a>
        </li>
        <li>
          <a href={addressOf(['segments', '+'], { like: 'frequent' })}>
            How many a rule would catch: three orders in 30 days
          </a>
        </li>
        <li>
          <a href={addressOf(['now'])}>What was refused in the last minute, and why</a>
        </li>
        <li>
          Why somebody is not in a segment, and what would bring them in: find them above, and pick
          the segment on their page
        </li>
      </ul>
      <Nobody />
    </>
  )
}
