import { FactSubscription } from 'dossier/subscription'
import type { DailyEventsView } from './daily-events.js'
import { Progress } from './progress.js'

export interface Following {
  readonly url: string
  readonly everyMs: number
  /** Whether to end when all facts that were stored at the start are counted. */
  readonly once: boolean
  readonly stop: AbortSignal
  readonly say: (line: string) => void
}

/**
 * Keeps the view up to date until it is stopped. Throws the errors of the subscription. The view then includes all
 * facts before the error.
 */
export async function follow(view: DailyEventsView, following: Following): Promise<void> {
  const { url, everyMs, once, stop, say } = following
  const done = new AbortController()
  const progress = new Progress(say, () => subscription.position)
  const subscription = new FactSubscription({
    url,
    after: view.position,
    signal: AbortSignal.any([stop, done.signal]),
    handle: (fact, position) => {
      view.apply(fact, position)
      progress.processed()
    },
    reached: (position) => {
      view.moveTo(position)
    },
    caughtUp: () => {
      progress.caughtUp()
      if (once) done.abort()
    },
    passedOver: (event) => {
      progress.passedOver(event)
    },
    interrupted: (interruption) => {
      progress.interrupted(interruption)
    },
  })
  progress.begun()
  const lines = setInterval(() => {
    void lagOf(subscription).then((lag) => {
      say(`at ${progress.text}, ${String(subscription.passedOver)} passed over, ${lag}`)
    })
  }, everyMs)
  try {
    await subscription.run()
    progress.stopped()
  } finally {
    clearInterval(lines)
  }
}

function lagOf(subscription: FactSubscription): Promise<string> {
  return subscription.lag().then(
    ({ bytes }) => `${String(bytes)} bytes behind the head`,
    () => 'the server does not say where its head is',
  )
}
