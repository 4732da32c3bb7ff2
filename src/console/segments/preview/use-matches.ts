import { useEffect, useRef, useState } from 'preact/hooks'
import { DossierError } from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'
import { matchesOf, type MatchPart, type Previewed } from './find-matches.js'

interface Found {
  readonly ids: readonly string[]
  /** The number of evaluated people. */
  readonly looked: number
  readonly isComplete: boolean
  readonly isBusy: boolean
  readonly error?: DossierError
}

export interface Matches extends Found {
  /**
   * Finds people until there are `count` of them, or no more. Infinity finds all people. Does nothing while a search is
   * running.
   */
  readonly find: (count: number) => void
}

/** Returns the people who match a rule, as far as they are wanted. `count` is the number that is wanted first. */
export function useMatches(previewed: Previewed, count: number): Matches {
  const { client } = useSession()
  const parts = useRef<AsyncGenerator<MatchPart, void, undefined> | undefined>(undefined)
  const [found, setFound] = useState<Found>({
    ...{ ids: [], looked: 0, isComplete: false, isBusy: true },
  })
  const [wanted, setWanted] = useState(count)
  useEffect(() => {
    const controller = new AbortController()
    parts.current = matchesOf(client, previewed, controller.signal)
    return () => {
      controller.abort(new Error('the list is closed'))
    }
  }, [])
  useEffect(() => {
    if (found.isComplete || found.error !== undefined) return
    const state = { isLeft: false }
    const ids = [...found.ids]
    let { looked } = found
    const take = async () => {
      let isComplete = false
      while (!isComplete && ids.length < wanted && parts.current !== undefined) {
        setFound({ ids, looked, isComplete, isBusy: true })
        const { value, done } = await parts.current.next()
        if (state.isLeft) return
        isComplete = done === true
        if (value !== undefined) {
          ids.push(...value.ids)
          looked += value.looked
        }
      }
      setFound({ ids, looked, isComplete, isBusy: false })
    }
    take().catch((error: unknown) => {
      if (state.isLeft) return
      if (!(error instanceof DossierError)) throw error
      setFound({ ids, looked, isComplete: false, isBusy: false, error })
    })
    return () => {
      state.isLeft = true
    }
  }, [wanted])
  return {
    ...found,
    find: (more) => {
      if (!found.isBusy && more > wanted) setWanted(more)
    },
  }
}
