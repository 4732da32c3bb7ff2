import type { Webhook } from '../../client/dossier.js'

type Reason = NonNullable<Webhook['paused']>['reason']

/** The reason of each pause, and what to do about it. A paused webhook loses no facts. */
export const pausedWords: Readonly<Record<Reason, string>> = {
  requested: 'Somebody paused it. Resume continues after the last delivered fact.',
  gone: 'The receiver replied with 410. Correct the receiver or the URL, then resume.',
  failing: 'The receiver failed for 72 hours. Repair the receiver, then resume.',
  position_unknown:
    'The store was restored or replaced, and has another fact at the cursor. Resume with another start.',
}
