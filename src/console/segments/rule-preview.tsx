import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import {
  DossierError,
  type PreviewEstimate,
  type PreviewProgress,
  type PreviewRequest,
  type PreviewResult,
} from '../../client/dossier.js'
import { areAllPlaced, faultsAt } from '../parts/faults.js'
import { Faults, Field } from '../parts/field.js'
import { useSession } from '../frame/session.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Num } from '../parts/num.js'
import { shownNumber } from '../parts/numbers.js'
import { Trouble } from '../parts/trouble.js'
import type { Draft } from './draft.js'
import { PreviewedResult } from './previewed-result.js'
import { faultsInRule } from './rule-field.js'

interface Frames {
  readonly estimate?: PreviewEstimate
  readonly progress?: PreviewProgress
  readonly result?: PreviewResult
  readonly error?: DossierError
}

interface Props {
  /** Undefined: what is typed is no rule. */
  readonly request: PreviewRequest | undefined
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
}

/** How many a rule would catch, and who would come and go, before it is saved. */
export function RulePreview({ request, draft, change }: Props): JSX.Element {
  const { client } = useSession()
  const [frames, setFrames] = useState<Frames>()
  const controller = useRef(new AbortController())
  const text = JSON.stringify(request)
  useEffect(
    () => () => {
      controller.current.abort(new Error('another rule, or another view'))
      setFrames(undefined)
    },
    [text],
  )
  const run = async (asked: PreviewRequest) => {
    controller.current.abort(new Error('another preview'))
    const { signal } = (controller.current = new AbortController())
    setFrames({})
    try {
      for await (const { event, data } of client.segments.preview(asked, { signal })) {
        if (signal.aborted) return
        setFrames((before) => ({ ...before, [event]: data }))
      }
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof DossierError)) throw error
      setFrames({ error })
    }
  }
  return (
    <section class="card" aria-live="polite">
      <button
        type="button"
        disabled={request === undefined}
        onClick={() => {
          if (request !== undefined) void run(request)
        }}
      >
        Preview
      </button>{' '}
      <Frame frames={frames} text={draft.rule} />
      <Field
        label="Rank by the sum of this number in each event (empty: by how many events)"
        placeholder="/total"
        value={draft.sum}
        set={(sum) => {
          change({ sum })
        }}
      />
      {request !== undefined && (
        <CopyCall
          method="POST"
          path="/segments/preview"
          body={request}
          code={`console.log(await dossier.segments.preview(${literal(request)}).result())`}
        />
      )}
    </section>
  )
}

function Frame({ frames, text }: { frames: Frames | undefined; text: string }): JSX.Element {
  if (frames === undefined)
    return <span class="muted">Who would be in it? Nothing is saved by looking.</span>
  const { estimate, progress, result, error } = frames
  if (error?.code === 'preview_under_way')
    return <span>Somebody else is previewing. Try again in a moment.</span>
  if (error !== undefined) {
    const faults = areAllPlaced(error, ['/rule', '/sum'])
      ? [...faultsInRule(text, error), ...faultsAt(error, '/sum')]
      : []
    return faults.length === 0 ? <Trouble error={error} isSent /> : <Faults faults={faults} />
  }
  if (result !== undefined) return <PreviewedResult result={result} />
  if (estimate === undefined) return <span>…</span>
  const done =
    progress === undefined ? 0 : Math.floor((100 * progress.done) / Math.max(1, progress.entities))
  return (
    <span>
      An estimate: about <Num value={estimate.members} /> of <Num value={estimate.entities} />, most
      likely {shownNumber(estimate.low)} to {shownNumber(estimate.high)}. The exact number is being
      counted: {done} %.
    </span>
  )
}
