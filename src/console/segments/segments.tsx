import type { JSX } from 'preact'
import type { Route } from '../frame/route.js'
import { SegmentList } from './list/segment-list.js'
import { NewSegment } from './new-segment.js'
import { SegmentPage } from './segment/segment-page.js'
import './segments.css'

/** Shows all segments, one segment, or a new segment, as the address says. */
export function Segments({ parts, query }: Route): JSX.Element {
  const [, key, tab = ''] = parts
  if (key === undefined) return <SegmentList />
  if (key === '+') {
    const beginning = Object.fromEntries(query)
    return <NewSegment key={query.toString()} beginning={beginning} />
  }
  return <SegmentPage key={key} segment={key} tab={tab === 'edit' ? '' : tab} />
}
