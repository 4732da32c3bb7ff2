import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import {
  DossierError,
  type PreviewChange,
  type PreviewEstimate,
  type PreviewProgress,
  type PreviewRequest,
  type PreviewResult,
} from '../../client/dossier.js'
import { areAllPlaced } from '../by-hand/faults.js'
import { Faults } from '../by-hand/field.js'
import { useSession } from '../frame/session.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { Person } from '../parts/id.js'
import { Num, shownNumber } from '../parts/num.js'
import { Trouble } from '../parts/trouble.js'
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
  /** The rule as it is typed. */
  readonly text: string
}

/** How many a rule would catch, and who would come and go, before it is saved. */
export function RulePreview({ request, text: typed }: Props): JSX.Element {
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
      <Frame frames={frames} text={typed} />
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
  if (error?.code === 'rate_limited')
    return <span>Somebody else is previewing. Try again in a moment.</span>
  if (error !== undefined) {
    const faults = areAllPlaced(error, ['/rule']) ? faultsInRule(text, error) : []
    return faults.length === 0 ? <Trouble error={error} /> : <Faults faults={faults} />
  }
  if (result !== undefined) return <Result result={result} />
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

function Result({ result }: { result: PreviewResult }): JSX.Element {
  const { members, sample, entering, leaving } = result
  return (
    <>
      <b>
        Exactly <Num value={members} />
      </b>{' '}
      would be in it; <Num value={entering.count} /> would enter, <Num value={leaving.count} />{' '}
      would leave.
      <Some title="Some of them" ids={sample} />
      {entering.count < members && <Change title="Would enter" change={entering} />}
      {leaving.count > 0 && <Change title="Would leave" change={leaving} />}
    </>
  )
}

function Change({ title, change }: { title: string; change: PreviewChange }): JSX.Element {
  return <Some title={title} ids={change.sample} />
}

function Some({ title, ids }: { title: string; ids: readonly string[] }): JSX.Element {
  return (
    <p class="row">
      {title}: {ids.length === 0 ? 'nobody' : ids.map((id) => <Person key={id} id={id} />)}
    </p>
  )
}
