import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { DossierError, SegmentDefinition } from '../../client/dossier.js'
import { areAllPlaced, faultsAt } from '../parts/faults.js'
import { Field } from '../parts/field.js'
import { addressOf, go } from '../frame/route.js'
import { useSession } from '../frame/session.js'
import { Act } from '../parts/act.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { useSent } from '../parts/sent.js'
import { Trouble } from '../parts/trouble.js'
import { draftOf, emptyDraft, like, type Draft } from './draft.js'
import { RuleField } from './rule-field.js'
import { RulePreview } from './rule-preview.js'
import { typedRule } from './typed-rule.js'
import { Difference } from './versions.js'

interface Props {
  /** The segment that is changed; left out: a new one. */
  readonly segment?: string
  /** The key of a template to begin with. */
  readonly template?: string
}

/** A form for a segment, with a preview before it is saved. */
export function SegmentEdit({ segment, template = '' }: Props): JSX.Element {
  const { client } = useSession()
  const [draft, setDraft] = useState(() =>
    segment === undefined ? like(emptyDraft, template) : undefined,
  )
  const now = useAsked(
    (signal) =>
      segment === undefined ? Promise.resolve(undefined) : client.segments.get(segment, { signal }),
    [segment],
    0,
  )
  useEffect(() => {
    if (now.value !== undefined) setDraft(draftOf(now.value))
  }, [now.value])
  return (
    <>
      <h1>{segment === undefined ? 'New segment' : `Edit ${segment}`}</h1>
      <Trouble error={now.error} />
      {draft !== undefined && (
        <Form
          draft={draft}
          change={(changes) => {
            setDraft({ ...draft, ...changes })
          }}
        />
      )}
    </>
  )
}

interface FormProps {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
}

function Form({ draft, change }: FormProps): JSX.Element {
  const { client } = useSession()
  const { key, title, isByHand, base } = draft
  const typed = typedRule(draft.rule)
  const { value: others } = useAsked((signal) => client.segments.list({}, { signal }).all(), [], 0)
  const definition: SegmentDefinition | undefined = isByHand
    ? { title, kind: 'hand' }
    : 'rule' in typed
      ? { title, kind: 'rule', rule: typed.rule }
      : undefined
  const ifVersion = base?.version ?? 'none'
  const sent = useSent(
    JSON.stringify([key, definition, ifVersion]),
    (options) =>
      client.segments.define(key, definition ?? { title, kind: 'hand' }, { ...options, ifVersion }),
    () => {
      go(addressOf(['segments', key]))
    },
  )
  const request =
    'rule' in typed && !isByHand
      ? {
          rule: typed.rule,
          sample: 10,
          ...(base !== undefined && { against: key }),
          ...(draft.sum !== '' && { sum: draft.sum }),
        }
      : undefined
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (definition !== undefined) void sent.send()
      }}
    >
      {base === undefined && (
        <>
          <Field
            label="Key"
            value={key}
            set={(text) => {
              change({ key: text })
            }}
            required
            placeholder="win-back"
            faults={others?.some((one) => one.key === key) ? ['exists already'] : []}
          />
          <label class="field">
            Who is in it
            <select
              value={isByHand ? 'hand' : 'rule'}
              onChange={({ currentTarget }) => {
                change({ isByHand: currentTarget.value === 'hand' })
              }}
            >
              <option value="rule">whoever a rule catches</option>
              <option value="hand">who is put in by hand</option>
            </select>
          </label>
        </>
      )}
      <Field
        label="Title"
        value={title}
        set={(text) => {
          change({ title: text })
        }}
        required
        faults={faultsAt(sent.error, '/title')}
      />
      {!isByHand && (
        <>
          <RuleField draft={draft} change={change} error={sent.error} />
          <RulePreview request={request} draft={draft} change={change} />
        </>
      )}
      <p class="row">
        <Act scope="segments" isBusy={sent.isBusy || definition === undefined}>
          Save
        </Act>
        {definition !== undefined && (
          <CopyCall
            method="PUT"
            path={`/segments/${key}`}
            headers={
              base === undefined
                ? { 'If-None-Match': '*' }
                : { 'If-Match': `"${String(base.version)}"` }
            }
            body={definition}
            code={`await dossier.segments.define(${literal(key)}, ${literal(definition)}, { ifVersion: ${literal(ifVersion)} })`}
          />
        )}
      </p>
      <Refused error={sent.error} draft={draft} definition={definition} change={change} />
    </form>
  )
}

interface RefusedProps extends FormProps {
  readonly error: DossierError | undefined
  readonly definition: SegmentDefinition | undefined
}

/** Why it was not saved; where somebody else was first, what they made of it. */
function Refused({ error, draft, definition, change }: RefusedProps): JSX.Element | null {
  if (error === undefined) return null
  if (error.code === 'precondition_failed' && definition !== undefined) {
    return <Overtaken draft={draft} definition={definition} change={change} />
  }
  if (areAllPlaced(error, ['/title', '/rule'])) {
    return (
      <p role="alert" class="bad">
        Nothing is saved: see above.
      </p>
    )
  }
  return <Trouble error={error} isSent />
}

function Overtaken({
  draft,
  definition,
  change,
}: Omit<RefusedProps, 'error'> & { definition: SegmentDefinition }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAsked(
    (signal) => client.segments.get(draft.key, { signal }),
    [draft.key],
    0,
  )
  const mine = { title: definition.title, rule: 'rule' in definition ? definition.rule : null }
  const isRetired = error?.code === 'segment_not_found'
  return (
    <div role="alert" class="trouble">
      <p>
        {draft.base === undefined
          ? 'A segment with this key exists already.'
          : `Somebody else has ${isRetired ? 'retired' : 'saved'} this segment meanwhile.`}{' '}
        Nothing of yours is saved yet.
      </p>
      {isRetired ? (
        <button
          type="button"
          onClick={() => {
            change({ base: undefined })
          }}
        >
          Go on with mine, as a new segment
        </button>
      ) : (
        <Trouble error={error} />
      )}
      {value !== undefined && (
        <>
          <p>From theirs (version {value.version}) to yours:</p>
          <Difference before={value} after={mine} />
          <button
            type="button"
            onClick={() => {
              change({ base: value })
            }}
          >
            Go on with mine, over version {value.version}
          </button>{' '}
          <button
            type="button"
            onClick={() => {
              change(draftOf(value))
            }}
          >
            Go on with theirs
          </button>
        </>
      )}
    </div>
  )
}
