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
  /** Of the rule, or of the one before while `state` is not `exact`. */
  readonly result?: PreviewResult
  readonly error?: DossierError
}

/** How long nobody changes the rule before it is previewed, in milliseconds. */
const typingMs = 400
/** How long to wait while the process previews another rule, or cannot answer, in milliseconds. */
const againMs = 1_500

/** Previews a rule a moment after it changed, until its exact result is there. Gives up the preview before it. */
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

/** The last result stays while the next one is counted. */
function resultOf({ result }: Previewed): Pick<Previewed, 'result'> {
  return result === undefined ? {} : { result }
}
