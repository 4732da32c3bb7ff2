import { ResponderBuilder, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'

/**
 * The interval at which the server renews the text of its date, in milliseconds. Each server renews the text at another
 * moment of the second.
 */
const renewedEveryMs = 1_000

/** The clock of a double, as the `date` header of its replies shows it. */
export class DateHeader {
  private readonly startedAt = Date.now()
  private aheadMs = 0

  /** Sets how far the clock is ahead of this machine's clock, in milliseconds. Negative: it lags. */
  bend(aheadMs: number): void {
    this.aheadMs = aheadMs
  }

  /** The header's text. As in 23.10, it has whole seconds and is up to a second old. */
  get text(): string {
    const now = Date.now()
    const renewedAt = now - ((now - this.startedAt) % renewedEveryMs)
    return new Date(renewedAt + this.aheadMs).toUTCString()
  }

  /** Adds the header to every reply, including errors. */
  readonly interceptor: ServerInterceptor = (_method, call) => {
    let isSent = false
    const responder = new ResponderBuilder()
      .withSendMetadata((metadata, next) => {
        isSent = true
        metadata.set('date', this.text)
        next(metadata)
      })
      .withSendStatus((status, next) => {
        const metadata = status.metadata?.clone() ?? null
        if (!isSent) metadata?.set('date', this.text)
        next({ ...status, metadata })
      })
      .build()
    return new ServerInterceptingCall(call, responder)
  }
}
