import { createHmac } from 'node:crypto'
import { setImmediate as immediate } from 'node:timers/promises'

/** The bytes that are signed in one turn of the event loop. */
const sliceBytes = 65_536

/**
 * Returns the header `webhook-signature` of Standard Webhooks: one signature for each secret, with a space between
 * them. Other work runs between slices of a large body.
 */
export async function signatureOf(
  {
    id,
    timestamp,
    body,
  }: { readonly id: string; readonly timestamp: string; readonly body: Buffer },
  secrets: readonly string[],
): Promise<string> {
  const hashes = secrets.map((secret) =>
    createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).update(
      `${id}.${timestamp}.`,
    ),
  )
  for (let from = 0; from < body.length; from += sliceBytes) {
    if (from > 0) await immediate()
    const slice = body.subarray(from, from + sliceBytes)
    for (const hash of hashes) hash.update(slice)
  }
  return hashes.map((hash) => `v1,${hash.digest('base64')}`).join(' ')
}
