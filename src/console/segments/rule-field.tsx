import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { Field } from '../by-hand/field.js'
import { ruleWords } from '../parts/rule-words.js'
import { Sentence } from '../parts/words.js'
import { like, type Draft } from './draft.js'
import { placeInJson } from './place-in-json.js'
import { templates } from './rule-templates.js'
import { typedRule } from './typed-rule.js'

interface Props {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  /** Why it was not saved. */
  readonly error: DossierError | undefined
}

/** The rule as JSON, with its meaning in words and what is wrong with it, at its place. */
export function RuleField({ draft, change, error }: Props): JSX.Element {
  const typed = typedRule(draft.rule)
  const faults =
    draft.rule === '' ? [] : 'fault' in typed ? [typed.fault] : faultsInRule(draft.rule, error)
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
      <p class="muted">{faults.length === 0 && 'rule' in typed && <InWords rule={typed.rule} />}</p>
    </>
  )
}

/** What is typed may be no rule at all, which the service says when it is sent. */
function InWords({ rule }: { rule: Parameters<typeof ruleWords>[0] }): JSX.Element | null {
  try {
    return <Sentence words={ruleWords(rule)} />
  } catch {
    return null
  }
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
