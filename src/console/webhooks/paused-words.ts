import type { Webhook } from '../../client/dossier.js'

type Reason = NonNullable<Webhook['paused']>['reason']

/** Why a webhook is paused, and what to do. Nothing is lost meanwhile. */
export const pausedWords: Readonly<Record<Reason, string>> = {
  requested: 'Somebody paused it. Resume continues after the last delivered fact.',
  gone: 'The receiver replied with 410. Correct the receiver or the URL, then resume.',
  failing: 'The receiver failed for 72 hours. Repair the receiver, then resume.',
  position_unknown:
    'The store was restored or replaced, and has another fact at the cursor. Resume with another start.',
}
