import { useEffect, useState } from 'preact/hooks'
import { DossierError, type PreviewResult, type Rule } from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'
import { findMatches, type Matches } from './find-matches.js'

export interface FoundMatches extends Matches {
  readonly isComplete: boolean
  readonly error?: DossierError
}

/** Everybody that a rule catches. A preview lists them all when they are few; otherwise all people are evaluated. */
export function useMatches(rule: Rule, { members, sample }: PreviewResult): FoundMatches {
  const { client } = useSession()
  const isListed = sample.length === members
  const [found, setFound] = useState<FoundMatches>({
    ids: isListed ? sample : [],
    looked: 0,
    isComplete: isListed,
  })
  useEffect(() => {
    if (isListed) return
    const controller = new AbortController()
    const { signal } = controller
    const search = async () => {
      try {
        const all = await findMatches(client, rule, signal, (part) => {
          setFound({ ...part, isComplete: false })
        })
        setFound({ ...all, isComplete: true })
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof DossierError)) throw error
        setFound((before) => ({ ...before, error }))
      }
    }
    void search()
    return () => {
      controller.abort(new Error('the list is closed'))
    }
  }, [])
  return found
}
