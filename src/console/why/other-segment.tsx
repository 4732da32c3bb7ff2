import type { JSX } from 'preact'
import type { PastQuery, Segment } from '../../client/dossier.js'
import { addressOf, go } from '../frame/route.js'
import { Select } from '../parts/select.js'

interface Props {
  readonly id: string
  readonly segment: string
  readonly past: PastQuery
  readonly segments: readonly Segment[]
}

/** A choice that asks the same question about another segment. */
export function OtherSegment({ id, segment, past, segments }: Props): JSX.Element | null {
  if (segments.length < 2) return null
  return (
    <Select
      label="Segment"
      value={segment}
      options={segments.map(({ key }) => [key, key])}
      set={(other) => {
        go(addressOf(['people', id, 'why', other], { ...past }))
      }}
    />
  )
}
