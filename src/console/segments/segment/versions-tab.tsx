import type { JSX } from 'preact'
import { useSession } from '../../frame/session.js'
import { Card } from '../../parts/card.js'
import { Text } from '../../parts/id.js'
import { ruleWords } from '../../parts/rule-words.js'
import { Skeleton } from '../../parts/skeleton.js'
import { Trouble } from '../../parts/trouble.js'
import { seldomMs, useAnswer } from '../../parts/use-answer.js'
import { When } from '../../parts/when.js'
import { Sentence } from '../../parts/words.js'
import { Difference } from './difference.js'

/** All versions of a segment, each with the changes that it made. */
export function VersionsTab({ segment }: { segment: string }): JSX.Element {
  const { client } = useSession()
  const { value, error } = useAnswer(
    ['versions', segment],
    (signal) => client.segments.versions(segment, {}, { signal }).all(),
    seldomMs,
  )
  return (
    <Card title="Versions" note="newest first">
      <Trouble error={error} />
      {value === undefined && error === undefined && <Skeleton />}
      {value?.map((version, at) => (
        <details class="version" key={version.version} open={at === 0}>
          <summary>
            <b>Version {version.version}</b> · <Text text={version.title} />{' '}
            <span class="muted">
              <When at={version.defined_at} />
              {version.retired_at !== null && (
                <>
                  , retired <When at={version.retired_at} />
                </>
              )}
            </span>
          </summary>
          <p class="soft">
            {version.rule === null ? (
              'Members are added by hand.'
            ) : (
              <Sentence words={ruleWords(version.rule)} />
            )}
          </p>
          <Difference before={value[at + 1]} after={version} />
        </details>
      ))}
    </Card>
  )
}
