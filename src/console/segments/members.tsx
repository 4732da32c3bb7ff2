import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { DossierError } from '../../client/dossier.js'
import { withQuery as pathWith } from '../../client/requests.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Person } from '../parts/id.js'
import { Json } from '../parts/json.js'
import { Num } from '../parts/num.js'
import { counted } from '../parts/numbers.js'
import { Table } from '../parts/table.js'
import { Trouble } from '../parts/trouble.js'
import { visible } from '../parts/visible.js'
import { When, WhenHead } from '../parts/when.js'
import { csvHead, csvOf } from './member-csv.js'

interface Props {
  readonly segment: string
  /** How many there are. */
  readonly members: number | null
}

/** Who is in a segment, with properties that one chooses; all of them as a file. */
export function Members({ segment, members }: Props): JSX.Element {
  const { client } = useSession()
  const [typed, setTyped] = useState('')
  const [properties, setProperties] = useState('')
  const [cursor, setCursor] = useState<string>()
  const pointers = properties === '' ? [] : properties.split(',')
  const query = { limit: 25, ...(properties === '' ? {} : { properties }) }
  const { value, error } = useAsked(
    (signal) =>
      client.segments
        .members(segment, { ...query, ...(cursor === undefined ? {} : { cursor }) }, { signal })
        .page(),
    [segment, properties, cursor],
  )
  return (
    <section>
      <h2>
        Members <Num value={members} />
      </h2>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault()
          setProperties(typed.replaceAll(' ', ''))
          setCursor(undefined)
        }}
      >
        <input
          aria-label="Properties to show, as JSON pointers"
          placeholder="/email,/address/city"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value)
          }}
        />
        <button type="submit">Show properties</button>
        <File segment={segment} pointers={pointers} />
      </form>
      <Trouble error={error} />
      <Table heads={['Person', <WhenHead name="Since" key="since" />, ...pointers.map(visible)]}>
        {value?.items.map(({ external_id: id, since, properties: its = {} }) => (
          <tr key={id}>
            <td>
              <Person id={id} />
            </td>
            <td>
              <When at={since} />
            </td>
            {pointers.map((pointer) => (
              <td key={pointer}>
                {Object.hasOwn(its, pointer) && <Json value={its[pointer]} inLine />}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      <p class="row">
        {cursor !== undefined && (
          <button
            type="button"
            class="link"
            onClick={() => {
              setCursor(undefined)
            }}
          >
            First page
          </button>
        )}
        {typeof value?.next_cursor === 'string' && (
          <button
            type="button"
            class="link"
            onClick={() => {
              setCursor(value.next_cursor ?? undefined)
            }}
          >
            Next page
          </button>
        )}
        <CopyCall
          path={pathWith(`/segments/${segment}/members`, query)}
          code={`for await (const member of dossier.segments.members(${literal(segment)}, ${literal(query)})) console.log(member)`}
        />
      </p>
    </section>
  )
}

/** All members as a file of comma-separated values. */
function File({
  segment,
  pointers,
}: {
  segment: string
  pointers: readonly string[]
}): JSX.Element {
  const { client } = useSession()
  const [state, setState] = useState('')
  const controller = useRef(new AbortController())
  useEffect(
    () => () => {
      controller.current.abort(new Error('the view is left'))
    },
    [],
  )
  const save = async () => {
    const { signal } = controller.current
    // The pages lie outside of the memory of the script.
    const parts = [new Blob([csvHead(pointers)])]
    const query = { limit: 1_000, ...(pointers.length > 0 && { properties: pointers.join(',') }) }
    const pages = client.segments.members(segment, query, { signal })
    let count = 0
    try {
      for (let cursor: string | undefined | null = undefined; cursor !== null;) {
        const page: Awaited<ReturnType<typeof pages.page>> = await pages.page(cursor)
        parts.push(new Blob([csvOf(page.items, pointers)]))
        count += page.items.length
        setState(`${counted(count, 'line')} …`)
        cursor = page.next_cursor
      }
      download(new Blob(parts, { type: 'text/csv' }), `${segment}.csv`)
      setState(`${counted(count, 'line')} saved`)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DossierError)) throw error
      setState(`Nothing is saved: ${error.message}`)
    }
  }
  return (
    <>
      <button type="button" onClick={() => void save()}>
        Save all as CSV
      </button>
      <small role="status">{state}</small>
    </>
  )
}

function download(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
