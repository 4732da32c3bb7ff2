import type { JSX } from 'preact'
import { useSession } from '../frame/session.js'
import { useStatus } from '../frame/use-status.js'
import { Card } from '../parts/card.js'
import { CopyMenu } from '../parts/copy-menu.js'
import { shownNumber } from '../parts/numbers.js'
import { PageHead } from '../parts/page-head.js'
import { Trouble } from '../parts/trouble.js'
import { apiDocumentAddress } from './api-document-address.js'
import { ProcessState } from './process-state.js'

/** The page of settings: the process that replies, the signed-in key, and links to documentation. */
export function Settings(): JSX.Element {
  const status = useStatus()
  return (
    <>
      <PageHead title="Settings" sub="The process that answers this page">
        <CopyMenu call={{ path: '/status', code: 'await dossier.service.status()' }} />
      </PageHead>
      <Trouble error={status.error} />
      <div class="grid half">
        <ProcessState status={status} />
        <div class="stack">
          <KeyLimits />
          <Card title="API keys">
            <p class="sub">
              A key has a name and scopes. Make one for each program and each person, on the machine
              of the service:
            </p>
            <pre>npx dossier keys create --name support --scope read</pre>
            <p class="sub">The service accepts a new key, and refuses a revoked one, in seconds.</p>
          </Card>
          <Card title="API">
            <p class="sub">
              The service describes every request in OpenAPI 3.1:{' '}
              <a href={apiDocumentAddress()}>openapi.json</a>
            </p>
          </Card>
        </div>
      </div>
    </>
  )
}

function KeyLimits(): JSX.Element {
  const { key } = useSession()
  const { requests_a_second: rate, body_bytes: body, batch_bytes: batch } = key.limits
  return (
    <Card title="Limits of this key">
      <dl class="pairs">
        <dt>Key</dt>
        <dd>
          <bdi>{key.name}</bdi>
        </dd>
        <dt>Scopes</dt>
        <dd>{key.scopes.join(', ')}</dd>
        <dt>Requests per second</dt>
        <dd>{rate === null ? 'no limit' : shownNumber(rate)}</dd>
        <dt>Largest body</dt>
        <dd>{shownNumber(body)} bytes</dd>
        <dt>Largest batch</dt>
        <dd>
          {shownNumber(batch)} bytes, {shownNumber(key.limits.batch_items)} items
        </dd>
      </dl>
    </Card>
  )
}
