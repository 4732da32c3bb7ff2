import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Refusal } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall } from '../parts/copy-call.js'
import { Text } from '../parts/id.js'
import { Num } from '../parts/num.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { When, WhenHead } from '../parts/when.js'

const shownAtMost = 100

/** Writes that were refused, as they happen, the newest first. */
export function Refusals(): JSX.Element {
  const { client } = useSession()
  const cursor = useRef<string | undefined>(undefined)
  const [items, setItems] = useState<readonly Refusal[]>([])
  const { value, error } = useAsked(
    (signal) =>
      client.service.refusals(cursor.current === undefined ? {} : { cursor: cursor.current }, {
        signal,
      }),
    [],
  )
  useEffect(() => {
    if (value === undefined) return
    cursor.current = value.next_cursor
    // Another process answers: what the one before refused is not known here.
    const newest = value.items.toReversed()
    setItems((before) => [...newest, ...(value.reset ? [] : before)].slice(0, shownAtMost))
  }, [value])
  const lately = items.filter(({ at }) => Date.parse(at) > Date.now() - 60_000).length
  return (
    <section>
      <h2>
        What is refused <small class="muted">in the last minute: {lately}</small>
      </h2>
      <Trouble error={error} />
      <Table isTall heads={[<WhenHead key="0" />, 'Key', 'Request', 'Why']}>
        {items.map((refusal) => (
          <tr key={refusal.id}>
            <td>
              <When at={refusal.at} />
            </td>
            <td>
              <Text text={refusal.key} />
            </td>
            <td>
              {refusal.method} <Text text={refusal.route} />
            </td>
            <td>
              {refusal.status} <b>{refusal.code}</b>
              <div>{refusal.message}</div>
              {refusal.details.map(({ path, code }) => (
                <div key={path + code}>
                  <code>
                    <Text text={path === '' ? 'body' : path} />
                  </code>{' '}
                  {code.replaceAll('_', ' ')}
                </div>
              ))}
            </td>
          </tr>
        ))}
        {items.length === 0 && (
          <tr>
            <td colSpan={4} class="muted">
              Nothing was refused since this process started.
            </td>
          </tr>
        )}
      </Table>
      <p class="muted">
        Seen by the process that answered; another one has a list of its own. Requests without a
        valid key: <Num value={value?.unauthenticated ?? 0} />
      </p>
      <CopyCall path="/refusals" code="await dossier.service.refusals()" />
    </section>
  )
}
