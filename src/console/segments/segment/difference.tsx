import type { JSX } from 'preact'
import type { SegmentVersion } from '../../../client/dossier.js'
import { visible } from '../../parts/visible.js'
import { lineDifference } from './line-difference.js'

type Version = Pick<SegmentVersion, 'title' | 'rule'>

interface Props {
  readonly before: Version | undefined
  readonly after: Version
}

/** The changes between two versions, line by line. */
export function Difference({ before, after }: Props): JSX.Element {
  const text = versionText(after)
  // The first version has no changes to mark.
  const lines = lineDifference(before === undefined ? text : versionText(before), text)
  return (
    <pre>
      {lines.map(({ change, text }, at) => (
        <div key={at} class={change === '+' ? 'good' : change === '-' ? 'bad' : ''}>
          <bdi>
            {change} {visible(text)}
          </bdi>
        </div>
      ))}
    </pre>
  )
}

function versionText({ title, rule }: Version): string {
  return `${title}\n${rule === null ? 'by hand' : JSON.stringify(rule, undefined, 2)}`
}
