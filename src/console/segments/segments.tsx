import type { JSX } from 'preact'
import type { Route } from '../frame/route.js'
import { SegmentEdit } from './segment-edit.js'
import { SegmentList } from './segment-list.js'
import { SegmentView } from './segment-view.js'

/** All segments, one of them, or a form for one: by the address. */
export function Segments(route: Route): JSX.Element {
  const [, key, edit] = route.parts
  if (key === undefined) return <SegmentList />
  if (key === '+') return <SegmentEdit template={route.query.get('like') ?? ''} />
  if (edit === 'edit') return <SegmentEdit key={key} segment={key} />
  return <SegmentView key={key} segment={key} />
}
