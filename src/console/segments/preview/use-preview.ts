import { useEffect, useState } from 'preact/hooks'
import {
  DossierError,
  type PreviewEstimate,
  type PreviewProgress,
  type PreviewRequest,
  type PreviewResult,
} from '../../../client/dossier.js'
import { useSession } from '../../frame/session.js'

/** The progress of the rule's preview. */
export interface Previewed {
  readonly state: 'none' | 'counting' | 'waiting' | 'exact' | 'refused'
  readonly estimate?: PreviewEstimate
  readonly progress?: PreviewProgress
  /** The result of the current rule. While `state` is not `exact`, it may be the result of the previous rule. */
  readonly result?: PreviewResult
  readonly error?: DossierError
}

/** The pause after the last change of the rule before the preview begins, in milliseconds. */
const typingMs = 400
/** The pause before a retry in milliseconds, if the process previews another rule or cannot answer. */
const againMs = 1_500

/**
 * Previews a rule shortly after each change, until the exact result is known. A change cancels the preview of the
 * previous rule.
 */
export function usePreview(request: PreviewRequest | undefined): Previewed {
  const session = useSession()
  const [previewed, setPreviewed] = useState<Previewed>({ state: 'none' })
  const text = JSON.stringify(request)
  useEffect(() => {
    if (request === undefined) {
      setPreviewed({ state: 'none' })
      return
    }
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout>
    const run = async () => {
      try {
        for await (const { event, data } of session.client.segments.preview(request, { signal })) {
          if (signal.aborted) return
          const state = event === 'result' ? 'exact' : 'counting'
          setPreviewed((before) => ({ ...before, [event]: data, state }))
        }
      } catch (reason) {
        if (signal.aborted) return
        if (!(reason instanceof DossierError)) throw reason
        refuse(reason)
      }
    }
    const refuse = (error: DossierError) => {
      if (error.status === 401) session.leave('This key is not valid any more.')
      const isTaken = error.code === 'preview_under_way'
      setPreviewed((before) => ({
        ...resultOf(before),
        ...(isTaken ? { state: 'waiting' } : { state: 'refused', error }),
      }))
      if (isTaken || error.isPassing) timer = setTimeout(() => void run(), againMs)
    }
    setPreviewed((before) => ({ ...resultOf(before), state: 'counting' }))
    timer = setTimeout(() => void run(), typingMs)
    return () => {
      clearTimeout(timer)
      controller.abort(new Error('another rule, or another view'))
    }
  }, [text])
  return previewed
}

/** Returns the last result, which is shown while the next result is computed. */
function resultOf({ result }: Previewed): Pick<Previewed, 'result'> {
  return result === undefined ? {} : { result }
}
