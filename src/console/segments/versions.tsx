import type { JSX } from 'preact'
import type { SegmentVersion } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { useAsked } from '../parts/asked.js'
import { CopyCall, literal } from '../parts/copy-call.js'
import { visible } from '../parts/visible.js'
import { When } from '../parts/when.js'
import { lineDifference } from './line-difference.js'

/** What a version says, as text: its differences are shown by lines. */
export function versionText({ title, rule }: Pick<SegmentVersion, 'title' | 'rule'>): string {
  return `${title}\n${rule === null ? 'by hand' : JSON.stringify(rule, undefined, 2)}`
}

/** How a segment was defined before, each version with what it changed. */
export function Versions({ segment }: { segment: string }): JSX.Element | null {
  const { client } = useSession()
  const { value } = useAsked(
    (signal) => client.segments.versions(segment, {}, { signal }).all(),
    [segment],
    10_000,
  )
  if (value === undefined) return null
  return (
    <section>
      <h2>Versions</h2>
      {value.map((version, at) => (
        <details key={version.version}>
          <summary>
            Version {version.version}, <When at={version.defined_at} />
            {version.retired_at !== null && (
              <>
                , retired <When at={version.retired_at} />
              </>
            )}
          </summary>
          <Difference before={value[at + 1]} after={version} />
        </details>
      ))}
      <CopyCall
        path={`/segments/${segment}/versions`}
        code={`await dossier.segments.versions(${literal(segment)}).all()`}
      />
    </section>
  )
}

type Text = Pick<SegmentVersion, 'title' | 'rule'>

/** What changed from one version to another, line by line. */
export function Difference({
  before,
  after,
}: {
  before: Text | undefined
  after: Text
}): JSX.Element {
  const lines = lineDifference(before === undefined ? '' : versionText(before), versionText(after))
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
