import type { JSX } from 'preact'
import { ruleWords } from '../../parts/rule-words.js'
import { Sentence } from '../../parts/words.js'
import { furtherRules, templates } from '../rule-templates.js'

/** Examples that show all words of rules. */
export function Grammar(): JSX.Element {
  return (
    <details class="grammar">
      <summary>What a rule can say</summary>
      {[...templates.map(({ rule }) => rule), ...furtherRules].map((rule) => (
        <p key={JSON.stringify(rule)}>
          <code>{JSON.stringify(rule)}</code>
          <br />
          <Sentence words={ruleWords(rule)} />
        </p>
      ))}
      <p>
        Durations: <code>30m</code>, <code>12h</code>, <code>7d</code>, <code>2w</code>. Numbers of
        events: <code>gte</code>, <code>lte</code>, <code>eq</code>. The parts of <code>all</code>,{' '}
        <code>any</code> and <code>not</code> are rules.
      </p>
    </details>
  )
}
