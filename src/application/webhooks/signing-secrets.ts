import type { Webhook } from '../../domain/webhooks/webhooks.js'
import type { WebhookSecrets } from './ports/webhook-sending.js'

/**
 * Returns the secrets that sign at a time: the present secret, and for some time after a rotation
 * the former secret.
 */
export function signingSecrets(
  secrets: Pick<WebhookSecrets, 'secretOf'>,
  { key, secretVersion, formerSecret }: Pick<Webhook, 'key' | 'secretVersion' | 'formerSecret'>,
  at: Date,
): readonly string[] {
  const present = secrets.secretOf(key, secretVersion)
  if (formerSecret === undefined || at.getTime() >= formerSecret.until) return [present]
  return [present, secrets.secretOf(key, formerSecret.version)]
}
