import type { JSX } from 'preact'
import type { PreviewEstimate } from '../../../client/dossier.js'
import { shownNumber } from '../../parts/numbers.js'

/** The estimated number of members. It is shown until the exact number is known. */
export function Estimated({ estimate }: { estimate: PreviewEstimate }): JSX.Element {
  const { members, low, high } = estimate
  return (
    <div class="figures">
      <div>
        <span class="figure soft">≈ {shownNumber(members)}</span>
        <span>
          an estimate: most likely {shownNumber(low)} to {shownNumber(high)}
        </span>
      </div>
    </div>
  )
}
