import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Card } from '../parts/card.js'
import { ruleWords } from '../parts/rule-words.js'
import { Sentence } from '../parts/words.js'
import { RuleBuilder } from './builder/rule-builder.js'
import type { RuleFault } from './builder/row-faults.js'
import { ruleIn, ruleText, type Draft } from './draft/draft.js'
import { RuleJson } from './json/rule-json.js'
import { rowsOf } from './rows/rows-of.js'
import { ViewSwitch } from './view-switch.js'

interface Props {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  readonly faults: readonly RuleFault[]
  /** Whether the service accepts the rule. */
  readonly isAccepted: boolean
}

/** The rule in two views: as rows and as JSON. */
export function RuleCard({ draft, change, faults, isAccepted }: Props): JSX.Element {
  const { rule } = draft
  const [whyNot, setWhyNot] = useState<string>()
  const typed = ruleIn(draft)
  const showRows = () => {
    const shown = rowsOf('rule' in typed ? typed.rule : undefined)
    if ('whyNot' in shown) setWhyNot(shown.whyNot)
    else change({ rule: { view: 'builder', rows: shown.rows } })
  }
  const showJson = () => {
    setWhyNot(undefined)
    if (rule.view === 'builder')
      change({ rule: { view: 'json', text: ruleText('rule' in typed ? typed.rule : {}) } })
  }
  return (
    <Card
      title="Rule"
      aside={<ViewSwitch view={rule.view} showRows={showRows} showJson={showJson} />}
    >
      {rule.view === 'builder' ? (
        <RuleBuilder
          value={rule.rows}
          faults={faults}
          set={(rows) => {
            change({ rule: { view: 'builder', rows } })
          }}
        />
      ) : (
        <RuleJson
          text={rule.text}
          faults={faults}
          whyNot={whyNot ?? (isAccepted && 'rule' in typed ? whyNoRows(typed.rule) : undefined)}
          set={(text) => {
            setWhyNot(undefined)
            change({ rule: { view: 'json', text } })
          }}
        />
      )}
      {isAccepted && 'rule' in typed && (
        <p class="note">
          In words: <Sentence words={ruleWords(typed.rule)} />.
        </p>
      )}
    </Card>
  )
}

/** Returns the reason why a valid rule is shown as JSON, or undefined if rows can show it. */
function whyNoRows(rule: unknown): string | undefined {
  const shown = rowsOf(rule)
  return 'whyNot' in shown ? shown.whyNot : undefined
}
