import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { hasRepeatedTest } from './rows/change-rows.js'
import { VocabularyContext } from './builder/vocabulary.js'
import { isWithoutRule, ruleIn, type Draft } from './draft/draft.js'
import { Preview } from './preview/preview.js'
import { usePreview } from './preview/use-preview.js'
import { RuleCard } from './rule-card.js'
import { ruleFaults } from './rule-faults.js'
import { useVocabularyOfService } from './use-vocabulary.js'

/** The maximum number of ids in each list of a preview. The service returns no more. */
const listed = 100

interface Props {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  /** The reason why the rule was not saved. */
  readonly error: DossierError | undefined
}

/** The editor of a rule, with its preview. */
export function RuleEditor({ draft, change, error }: Props): JSX.Element {
  const vocabulary = useVocabularyOfService()
  const typed = ruleIn(draft)
  const isRepeated = draft.rule.view === 'builder' && hasRepeatedTest(draft.rule.rows.group)
  const request =
    'rule' in typed && !isWithoutRule(draft) && !isRepeated
      ? {
          rule: typed.rule,
          sample: listed,
          ...(draft.base?.rule != null && { against: draft.base.key }),
          ...(draft.sum !== '' && { sum: draft.sum }),
        }
      : undefined
  const previewed = usePreview(request)
  return (
    <VocabularyContext.Provider value={vocabulary}>
      <div class="grid two">
        <RuleCard
          draft={draft}
          change={change}
          faults={ruleFaults(previewed.error ?? error)}
          isAccepted={previewed.state === 'exact'}
        />
        <Preview request={request} previewed={previewed} draft={draft} change={change} />
      </div>
    </VocabularyContext.Provider>
  )
}
