import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { Field } from '../parts/field.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { ruleWords } from '../parts/rule-words.js'
import { Sentence } from '../parts/words.js'
import { like, type Draft } from './draft.js'
import { placeInJson } from './place-in-json.js'
import { furtherRules, templates } from './rule-templates.js'
import { typedRule } from './typed-rule.js'

interface Props {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  /** Why it was not saved. */
  readonly error: DossierError | undefined
}

/** The rule as JSON, with its meaning in words and what is wrong with it, at its place. */
export function RuleField({ draft, change, error }: Props): JSX.Element {
  const { client } = useSession()
  const typed = typedRule(draft.rule)
  const rule = 'rule' in typed ? typed.rule : undefined
  // The service says whether it is a rule, before anything is said in words.
  const checked = useAsked(
    async (signal) => {
      await new Promise((resolve) => setTimeout(resolve, typingMs))
      signal.throwIfAborted()
      if (rule === undefined) return undefined
      await client.segments.evaluate({ rule, external_ids: ['-'] }, { signal })
      return rule
    },
    [draft.rule],
    0,
  )
  const refused = error ?? checked.error
  const faults =
    draft.rule === '' ? [] : 'fault' in typed ? [typed.fault] : faultsInRule(draft.rule, refused)
  return (
    <>
      <label class="field">
        Begin with
        <select
          value=""
          onChange={({ currentTarget }) => {
            change(like(draft, currentTarget.value))
          }}
        >
          <option value="">one of the usual rules …</option>
          {templates.map(({ key, title }) => (
            <option key={key} value={key}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <Field
        label="Rule"
        value={draft.rule}
        set={(text) => {
          change({ rule: text })
        }}
        lines={Math.min(30, Math.max(6, draft.rule.split('\n').length + 1))}
        faults={faults}
      />
      <p class="muted">
        {faults.length === 0 && checked.value && <Sentence words={ruleWords(checked.value)} />}
      </p>
      <Grammar />
    </>
  )
}

/** How long nobody types before the rule is checked, in milliseconds. */
const typingMs = 300

/** All words that a rule may have, each in an example. */
function Grammar(): JSX.Element {
  return (
    <details>
      <summary>What a rule can say</summary>
      {[...templates.map(({ rule }) => rule), ...furtherRules].map((rule) => (
        <p key={JSON.stringify(rule)}>
          <code>{JSON.stringify(rule)}</code>
          <br />
          <Sentence words={ruleWords(rule)} />
        </p>
      ))}
      <p>
        Durations: <code>30m</code>, <code>12h</code>, <code>7d</code>, <code>2w</code>. Where
        events are counted: <code>gte</code>, <code>lte</code>, <code>eq</code>. The parts of{' '}
        <code>all</code>, <code>any</code> and <code>not</code> are rules.
      </p>
    </details>
  )
}

/** What the service says of a rule, each with its place in the text that was typed. */
export function faultsInRule(text: string, error: DossierError | undefined): readonly string[] {
  return (error?.details ?? [])
    .filter(({ path }) => path === '/rule' || path.startsWith('/rule/'))
    .map(({ path, message }) => {
      const { line, column } = placeInJson(text, path.slice('/rule'.length))
      return `Line ${String(line)}, column ${String(column)}: ${message}`
    })
}
