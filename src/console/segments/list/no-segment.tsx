import type { JSX } from 'preact'
import { addressOf } from '../../frame/route.js'
import { Empty } from '../../parts/empty.js'
import { templates } from '../rule-templates.js'

/** Replaces an empty list of segments by templates of rules. */
export function NoSegment(): JSX.Element {
  return (
    <Empty title="No segment yet" icon="pie">
      <p>A segment is a set of people that follows a rule by itself. Begin with one of these:</p>
      <ul class="begin">
        {templates.slice(0, 4).map(({ title, key }) => (
          <li key={key}>
            <a href={addressOf(['segments', '+'], { like: key })}>{title}</a>
          </li>
        ))}
      </ul>
    </Empty>
  )
}
