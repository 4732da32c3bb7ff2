import { useEffect, useRef, useState } from 'preact/hooks'
import { DossierError, type FollowedFact } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { cut } from '../parts/visible.js'
import { followFacts, type FactSink, type Filter } from './follow-facts.js'
import { useAsleep } from './asleep.js'
import { Rates } from './rates.js'

/** A fact as it is shown; its data is cut, so that all rows together stay small. */
export interface Row {
  readonly id: string
  readonly position: string
  readonly type: string
  readonly stream: string
  readonly requestId: string
  readonly text: string
  readonly rest: number
}

export interface FactsStream {
  /** The newest first. */
  readonly rows: readonly Row[]
  readonly rates: Rates
  /** `live`: all that there is has been shown. */
  readonly state: 'paused' | 'connecting' | 'catching up' | 'live' | 'broken'
  readonly error: DossierError | undefined
}

const rowsAtMost = 100
const textAtMost = 1_000
/** How often what came is shown, in milliseconds: a burst is one change of the page. */
const showMs = 100

/**
 * Follows all facts, over the one stream of this tab. Paused, hidden for long, or broken, it goes on
 * where it was, without a gap.
 */
export function useFacts({ type, person }: Filter, isPaused: boolean): FactsStream {
  const session = useSession()
  const [shown, setShown] = useState<Omit<FactsStream, 'rates'>>({
    rows: [],
    state: 'connecting',
    error: undefined,
  })
  const rates = useRef(new Rates())
  const cursor = useRef<string | undefined>(undefined)
  const isAsleep = useAsleep()
  const [round, setRound] = useState(0)
  useEffect(() => {
    cursor.current = undefined
    rates.current = new Rates()
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
        // What was there before is not of this minute.
        if (state === 'live') rates.current.count(fact.type, Date.now())
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
        // The store is another one, or was restored: what was seen of it is no place to go on at.
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
  return { ...shown, state, rates: rates.current }
}

function rowOf({ id, position, type, stream, request_id: requestId, data }: FollowedFact): Row {
  const { shown: text, rest } = cut(JSON.stringify(data), textAtMost)
  return { id, position, type, stream, requestId, text, rest }
}
