import { ResponderBuilder, ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js'

/** The server renews the text of its date once a second, at its own instant of the second. */
const renewedEveryMs = 1_000

/** The clock of a double, as the `date` of its replies shows it. */
export class DateHeader {
  private readonly startedAt = Date.now()
  private aheadMs = 0

  /** Sets the clock so far ahead of this machine's; behind it when negative. */
  bend(aheadMs: number): void {
    this.aheadMs = aheadMs
  }

  /** As 23.10 sends it: whole seconds, and up to a second old. */
  get text(): string {
    const now = Date.now()
    const renewedAt = now - ((now - this.startedAt) % renewedEveryMs)
    return new Date(renewedAt + this.aheadMs).toUTCString()
  }

  /** Adds it to the headers of every reply, of one that is an error alone too. */
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
