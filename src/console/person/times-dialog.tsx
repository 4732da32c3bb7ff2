import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { go, withQuery, type Route } from '../frame/route.js'
import { Button } from '../parts/button.js'
import { Dialog } from '../parts/dialog.js'
import { Field } from '../parts/field.js'
import { isInstant, typedTime } from '../by-hand/typed-values.js'

interface Props {
  readonly route: Route
  readonly onClose: () => void
}

/** A form for two exact times: `as_of` asks what was true at a time, and `known_at` asks what was known at a time. */
export function TimesDialog({ route, onClose }: Props): JSX.Element {
  const [asOf, setAsOf] = useState(route.query.get('as_of') ?? '')
  const [knownAt, setKnownAt] = useState(route.query.get('known_at') ?? '')
  const [asOfFaults, knownAtFaults] = [timeFaults(asOf), timeFaults(knownAt)]
  return (
    <Dialog title="The past of this person" onClose={onClose}>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault()
          if (asOfFaults.length + knownAtFaults.length > 0) return
          const times = { as_of: typedTime(asOf), known_at: typedTime(knownAt) }
          onClose()
          go(withQuery(route, { ...times, cursor: undefined }))
        }}
      >
        <Field
          label="As of: what had happened by this time (UTC, empty: now)"
          value={asOf}
          set={setAsOf}
          faults={asOfFaults}
          placeholder="2026-11-01 or 2026-11-01 09:30"
        />
        <Field
          label="Known on: only facts that were recorded by this time (UTC)"
          value={knownAt}
          set={setKnownAt}
          faults={knownAtFaults}
          placeholder="2026-11-01 or 2026-11-01 09:30"
        />
        <span>
          <Button look="primary">Show</Button>
        </span>
      </form>
    </Dialog>
  )
}

function timeFaults(text: string): readonly string[] {
  const time = typedTime(text)
  return time === undefined || isInstant(time)
    ? []
    : ['This is not a time. Write a day like 2026-11-01, or a time like 2026-11-01 09:30.']
}
