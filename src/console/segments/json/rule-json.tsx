import type { JSX } from 'preact'
import { Field } from '../../parts/field.js'
import type { RuleFault } from '../builder/row-faults.js'
import { faultLines } from '../rule-faults.js'
import { Grammar } from './grammar.js'
import { typedRule } from './typed-rule.js'

interface Props {
  readonly text: string
  readonly faults: readonly RuleFault[]
  /** The reason why the builder cannot show the rule. Undefined if it can. */
  readonly whyNot: string | undefined
  readonly set: (text: string) => void
}

/** The rule as JSON, with each fault at its line. */
export function RuleJson({ text, faults, whyNot, set }: Props): JSX.Element {
  const typed = typedRule(text)
  const lines = text === '' ? [] : 'fault' in typed ? [typed.fault] : faultLines(text, faults)
  return (
    <>
      {whyNot !== undefined && (
        <p class="whynot" role="status">
          The builder cannot show this rule: {whyNot}
        </p>
      )}
      <Field
        label="Rule as JSON"
        value={text}
        set={set}
        lines={Math.min(30, Math.max(8, text.split('\n').length + 1))}
        faults={lines}
        isAcross
      />
      <Grammar />
    </>
  )
}
