import type { JSX } from 'preact'
import type { DossierError } from '../../client/dossier.js'
import { addressOf } from '../frame/route.js'
import { Text } from '../parts/id.js'
import { PageHead } from '../parts/page-head.js'
import { Skeleton } from '../parts/skeleton.js'
import { Trouble } from '../parts/trouble.js'

interface Props {
  readonly webhook: string
  readonly error: DossierError | undefined
}

/**
 * Replaces the page of a webhook until the service has answered. Shows the error if the service cannot show the
 * webhook.
 */
export function AwaitedWebhook({ webhook, error }: Props): JSX.Element {
  return (
    <>
      <PageHead
        title={<Text text={webhook} />}
        path={<a href={addressOf(['webhooks'])}>Webhooks</a>}
      />
      <Trouble error={error} />
      {error === undefined && <Skeleton />}
    </>
  )
}
