import { useEffect, useRef, useState } from 'preact/hooks'
import { DossierError, type FactType, type FollowedFact } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { cut } from '../parts/visible.js'
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

export interface Filter {
  readonly type: string
  readonly person: string
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
/** How long a tab may be hidden before its stream is closed, in milliseconds. */
const hiddenMs = 30_000
/** How often what came is shown, in milliseconds: a burst is one change of the page. */
const showMs = 100
/** Positions before the newest fact at which the first look begins. */
const lookBack = 50n

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
  useEffect(() => {
    cursor.current = undefined
    rates.current = new Rates()
    setShown({ rows: [], state: 'connecting', error: undefined })
  }, [type, person])
  useEffect(() => {
    if (isPaused || isAsleep) {
      setShown((before) => ({ ...before, state: 'paused' }))
      return
    }
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
    const follow = async (after: string) => {
      const facts = session.client.facts({
        after,
        ...(type === '' ? {} : { types: [type as FactType] }),
        ...(person === '' ? {} : { entity: person }),
        signal: controller.signal,
        onLive: () => {
          state = 'live'
        },
        onCursor: (at) => {
          cursor.current = at
        },
        onBreak: () => {
          state = 'broken'
        },
      })
      for await (const fact of facts) {
        cursor.current = fact.cursor
        rates.current.count(fact.type, Date.now())
        rows = [rowOf(fact), ...rows].slice(0, rowsAtMost)
      }
    }
    const run = async () => {
      const begin = cursor.current
      if (begin !== undefined) return follow(begin)
      const { head } = await session.client.service.status({ signal: controller.signal })
      const back = BigInt(head ?? '0') - lookBack
      try {
        await follow(back > 0n ? String(back) : 'start')
      } catch (error) {
        // A store whose positions are not counted one by one knows no fact there.
        if (!(error instanceof DossierError) || error.code !== 'position_unknown') throw error
        await follow('now')
      }
    }
    run().catch((error: unknown) => {
      if (controller.signal.aborted) return
      clearInterval(timer)
      if (!(error instanceof DossierError)) throw error
      if (error.status === 401) session.leave('This key is not valid any more.')
      setShown((before) => ({ ...before, state: 'broken', error }))
    })
    return () => {
      clearInterval(timer)
      controller.abort(new Error('the view is left'))
      show()
    }
  }, [type, person, isPaused, isAsleep])
  return { ...shown, rates: rates.current }
}

function rowOf({ id, position, type, stream, request_id: requestId, data }: FollowedFact): Row {
  const { shown: text, rest } = cut(JSON.stringify(data), textAtMost)
  return { id, position, type, stream, requestId, text, rest }
}

/** Whether the tab has been hidden for a while. */
function useAsleep(): boolean {
  const [isAsleep, setAsleep] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      if (!document.hidden) setAsleep(false)
      else {
        timer = setTimeout(() => {
          setAsleep(true)
        }, hiddenMs)
      }
    }
    document.addEventListener('visibilitychange', look)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', look)
    }
  }, [])
  return isAsleep
}
