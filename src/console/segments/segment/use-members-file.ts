import { useEffect, useRef, useState } from 'preact/hooks'
import { DossierError } from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'
import { counted } from '../../parts/numbers.js'
import { csvHead, csvOf } from '../csv.js'
import { saveFile } from '../save-file.js'

interface MembersFile {
  /** The progress of the download in words. */
  readonly said: string
  readonly save: () => Promise<void>
}

/** Writes all members of a segment into a file, page by page. */
export function useMembersFile(segment: string, pointers: readonly string[]): MembersFile {
  const { client } = useSession()
  const [said, setSaid] = useState('')
  const controller = useRef(new AbortController())
  useEffect(
    () => () => {
      controller.current.abort(new Error('the page is left'))
    },
    [],
  )
  const save = async () => {
    const { signal } = controller.current
    // Uses Blobs, because they keep the pages outside of the script's memory.
    const parts = [new Blob([csvHead(pointers)])]
    const query = { limit: 1_000, ...(pointers.length > 0 && { properties: pointers.join(',') }) }
    const pages = client.segments.members(segment, query, { signal })
    let count = 0
    try {
      for (let cursor: string | undefined | null = undefined; cursor !== null;) {
        const page: Awaited<ReturnType<typeof pages.page>> = await pages.page(cursor)
        parts.push(new Blob([csvOf(page.items, pointers)]))
        count += page.items.length
        setSaid(`${counted(count, 'member')} …`)
        cursor = page.next_cursor
      }
      saveFile(new Blob(parts, { type: 'text/csv' }), `${segment}.csv`)
      setSaid(`${counted(count, 'member')} saved`)
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DossierError)) throw error
      setSaid(`Nothing was saved: ${error.message}`)
    }
  }
  return { said, save }
}
