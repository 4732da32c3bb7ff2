import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { useScope } from '../frame/session.js'
import { faultsAt } from '../parts/faults.js'
import { Select } from '../parts/select.js'
import { TitleAndKey } from '../parts/title-and-key.js'
import { useSegments } from '../parts/use-segments.js'
import { withTemplate, type Draft } from './draft/draft.js'
import { templates } from './rule-templates.js'

interface Props {
  readonly draft: Draft
  readonly change: (changes: Partial<Draft>) => void
  readonly error: DossierError | undefined
}

const kinds = [
  ['rule', 'whoever matches a rule'],
  ['hand', 'whoever is added by hand'],
] as const

/** The fields of a new segment: its title, its key, its kind, and a template for its rule. */
export function NameFields({ draft, change, error }: Props): JSX.Element {
  const maySave = useScope('segments')
  const { value: others } = useSegments()
  const { key, isByHand } = draft
  const isTaken = draft.base === undefined && others?.some((one) => one.key === key) === true
  return (
    <div class="naming">
      {maySave && (
        <>
          <TitleAndKey
            named={draft}
            change={change}
            isTitleRequired
            titleFaults={faultsAt(error, '/title')}
            keyFaults={isTaken ? ['is the key of another segment'] : []}
          />
          <Select
            label="Who is in it"
            value={isByHand ? 'hand' : 'rule'}
            options={kinds}
            set={(kind) => {
              change({ isByHand: kind === 'hand' })
            }}
          />
        </>
      )}
      {!isByHand && (
        <Select
          label="Begin with"
          value=""
          options={[
            ['', 'one of the usual rules …'],
            ...templates.map((one) => [one.key, one.title] as const),
          ]}
          set={(chosen) => {
            change(withTemplate(draft, chosen))
          }}
        />
      )}
    </div>
  )
}
