import { useEffect, useRef, useState } from 'preact/hooks'
import { DossierError, type FollowedFact } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { cut } from '../parts/visible.js'
import { factLine, type FactLine } from './fact-words.js'
import { followFacts, type FactSink, type Filter } from './follow-facts.js'
import { useAsleep } from './asleep.js'

/** A fact as the page shows it. Its data is truncated, so that all rows together need little memory. */
export interface Row {
  readonly id: string
  readonly position: string
  readonly requestId: string
  readonly line: FactLine
  /** The data as JSON. */
  readonly text: string
  /** The number of characters of the data that `text` omits. */
  readonly rest: number
}

export interface FactsStream {
  /** The facts, newest first. */
  readonly rows: readonly Row[]
  /** `live` means that the page has received every stored fact. */
  readonly state: 'paused' | 'connecting' | 'catching up' | 'live' | 'broken'
  readonly error: DossierError | undefined
}

const rowsAtMost = 100
const textAtMost = 4_000
/** The interval at which the page shows new facts, in milliseconds. A burst of facts causes one update of the page. */
const showMs = 100

/**
 * Follows all facts over the single stream of this tab. After a pause, a long time in the background, or a broken
 * connection, the stream continues at its cursor. So no fact is missing.
 */
export function useFacts({ type, person }: Filter, isPaused: boolean): FactsStream {
  const session = useSession()
  const [shown, setShown] = useState<FactsStream>({
    rows: [],
    state: 'connecting',
    error: undefined,
  })
  const cursor = useRef<string | undefined>(undefined)
  const isAsleep = useAsleep()
  const [round, setRound] = useState(0)
  useEffect(() => {
    cursor.current = undefined
    setShown({ rows: [], state: 'connecting', error: undefined })
  }, [type, person])
  useEffect(() => {
    if (isPaused || isAsleep) return
    const controller = new AbortController()
    let rows: Row[] = []
    let state: FactsStream['state'] = 'catching up'
    const show = () => {
      const came = rows
      rows = []
      setShown((before) => ({
        rows: [...came, ...before.rows].slice(0, rowsAtMost),
        state,
        error: undefined,
      }))
    }
    const timer = setInterval(show, showMs)
    const sink: FactSink = {
      at: cursor.current,
      take: (fact) => {
        rows = [rowOf(fact), ...rows].slice(0, rowsAtMost)
      },
      moved: (to) => {
        cursor.current = to
      },
      became: (next) => {
        state = next
      },
    }
    const { signal } = controller
    followFacts(session.client, { type, person }, sink, signal).catch((error: unknown) => {
      if (signal.aborted) return
      clearInterval(timer)
      if (!(error instanceof DossierError)) throw error
      if (error.status === 401) session.leave('This key is not valid any more.')
      if (error.code === 'position_unknown') {
        // The store was replaced or restored, so it does not know the cursor.
        session.client.forget()
        cursor.current = undefined
        setRound(round + 1)
      }
      setShown((before) => ({ ...before, state: 'broken', error }))
    })
    return () => {
      clearInterval(timer)
      controller.abort(new Error('the view is left'))
      show()
    }
  }, [type, person, isPaused, isAsleep, round])
  const state = isPaused || isAsleep ? 'paused' : shown.state
  return { ...shown, state }
}

function rowOf(fact: FollowedFact): Row {
  const { id, position, request_id: requestId, data } = fact
  const { shown: text, rest } = cut(JSON.stringify(data, undefined, 2), textAtMost)
  return { id, position, requestId, line: factLine(fact), text, rest }
}
