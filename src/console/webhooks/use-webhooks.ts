import type { Webhook } from '../../client/dossier.js'
import { useSession } from '../frame/session.js'
import { oftenMs, useAnswer, type Shown } from '../parts/use-answer.js'

/** Returns all webhooks with their progress. Needs the scope `webhooks`. */
export function useWebhooks(everyMs = oftenMs): Shown<readonly Webhook[]> {
  const { client } = useSession()
  return useAnswer(
    ['webhooks'],
    async (signal) => (await client.webhooks.list({ signal })).items,
    everyMs,
  )
}
