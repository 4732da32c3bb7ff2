import type { Clock } from '../../../src/application/ports/clock-and-ids.js'
import type { ExactAppend, ExactReceipt } from '../../../src/application/ports/exact-appends.js'
import { Refusal } from '../../../src/application/ports/refusal.js'
import { Attempts } from '../../../src/application/webhooks/attempts.js'
import type { SendOutcome } from '../../../src/application/webhooks/ports/webhook-sending.js'
import { WebhookLog } from '../../../src/application/webhooks/webhook-log.js'
import { WebhookSender } from '../../../src/application/webhooks/webhook-sender.js'
import {
  webhookProgressStream,
  type WebhookProgressRecorded,
} from '../../../src/domain/webhooks/webhook-facts.js'
import { uuidGenerator } from '../../../src/adapters/system/clock-and-ids.js'
import { LogLines } from '../log-lines.js'
import { accepted, DeliveryBench } from './delivery-bench.js'
import { settle } from './until.js'
import { webhooksIn } from './webhooks-in.js'

/** The URL of the receiver. Its path is a secret. */
export const receiverUrl = 'https://mail.example/hook-s3cret'

/** A process that sends webhooks. */
export interface SendingProcess {
  readonly sender: WebhookSender
  /** The ids of the messages that it sent. */
  readonly sent: string[]
  readonly log: LogLines
  /** Whether every entity of the erasure ledger is erased. */
  hasLedgerCaughtUp: boolean
  /** Whether each of its appends fails. */
  hasStoreOutage: boolean
  /** Accepts the oldest message that waits for a reply. */
  acceptOne(): void
  /** Ends the process as `kill -9` does. */
  kill(): void
}

/** Processes that send webhooks over one store, on a clock that the test moves. */
export class SenderBench {
  /** The facts, the read model and the clock of all processes. */
  readonly facts = new DeliveryBench()
  /** The reply of the receiver. Undefined while `acceptOne` replies. */
  answer: SendOutcome | undefined = accepted
  private readonly processes: SendingProcess[] = []
  private readonly webhooks = webhooksIn({
    logged: this.facts.store,
    store: this.facts.memory,
    clock: this.facts.time.clock,
    model: this.facts.model,
  })

  /** Defines a webhook that delivers every fact. */
  async define(key = 'mail'): Promise<void> {
    await this.webhooks.defineWebhook({
      key,
      url: receiverUrl,
      title: undefined,
      filter: {},
      entity: undefined,
      profile: false,
      from: 'start',
      precondition: {},
      requestId: 'r',
      waitMs: 0,
    })
  }

  remove(key = 'mail') {
    return this.webhooks.removeWebhook({ key, precondition: {}, requestId: 'r' })
  }

  start({ isShared = true, hasLedgerCaughtUp = true } = {}): SendingProcess {
    const { time, store, memory, model, secrets } = this.facts
    const log = new LogLines()
    const life = new AbortController()
    const waiting: ((outcome: SendOutcome) => void)[] = []
    const ended = new Promise<never>(() => undefined)
    const untilDeath = <Result>(result: Promise<Result>): Promise<Result> =>
      life.signal.aborted ? ended : result
    const process: SendingProcess = {
      sent: [],
      log,
      hasLedgerCaughtUp,
      hasStoreOutage: false,
      acceptOne: () => {
        waiting.shift()?.(accepted)
      },
      kill: () => {
        life.abort()
      },
      sender: new WebhookSender({
        webhooks: new WebhookLog(store),
        store: {
          appendAt: (append: ExactAppend): Promise<ExactReceipt> => {
            if (process.hasStoreOutage) return Promise.reject(new Refusal('store_unavailable'))
            return untilDeath(store.appendAt(append))
          },
          readLast: (stream) => untilDeath(memory.readLast(stream)),
        },
        model,
        transport: {
          send: ({ id }) => {
            if (life.signal.aborted) return ended
            process.sent.push(id)
            const { answer } = this
            if (answer !== undefined) return Promise.resolve(answer)
            return new Promise((resolve) => waiting.push(resolve))
          },
          forget: () => undefined,
          close: () => Promise.resolve(),
        },
        secrets,
        attempts: new Attempts(),
        clock: time.clock satisfies Clock,
        ids: uuidGenerator,
        log,
        pause: (milliseconds, signal) => untilDeath(time.pause(milliseconds, signal)),
        random: () => 0,
        now: time.now,
        isShared,
        hasLedgerCaughtUp: () => process.hasLedgerCaughtUp,
        confirmErasure: () => Promise.resolve(),
      }),
    }
    this.processes.push(process)
    process.sender.start()
    return process
  }

  /** Moves the clock in steps of a second, which is the pause between two rounds of a sender. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      this.facts.time.pass(1_000)
      await settle()
    }
  }

  /** The facts about progress, oldest first. */
  get recorded(): readonly WebhookProgressRecorded['data'][] {
    return this.facts.memory
      .read(webhookProgressStream)
      .map(({ data }) => JSON.parse(data) as WebhookProgressRecorded['data'])
  }

  /** Stops the processes that were not killed. */
  async close(): Promise<void> {
    for (const process of this.processes) process.hasStoreOutage = false
    await Promise.all(this.processes.map(({ sender }) => Promise.race([sender.stop(), settle()])))
  }
}
