import type { Account } from './account.js'
import type { Judge } from './judge.js'
import { RawClient, type RawReply } from './raw-client.js'
import { expect } from './reply-form.js'
import type { Scenario } from './scenarios.js'
import type { SentRequest } from './sent-request.js'

/** The result of a scenario: the statuses, and in case of a fault its description and the request. */
export interface Played {
  readonly statuses: readonly number[]
  readonly wrong?: { readonly what: string; readonly request: SentRequest | undefined }
}

export interface Stage {
  readonly port: number
  readonly judge: Judge
  readonly account: Account
}

/** Runs a scenario over its own connection, and checks every reply. */
export async function play(scenario: Scenario, stage: Stage): Promise<Played> {
  const player = new Player(scenario, stage)
  try {
    await player.play()
    return { statuses: player.statuses }
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    return { statuses: player.statuses, wrong: { what, request: player.current } }
  }
}

class Player {
  readonly statuses: number[] = []
  current: SentRequest | undefined

  constructor(
    private readonly scenario: Scenario,
    private readonly stage: Stage,
  ) {}

  /** Sends each request after the reply to the previous one, because Node decides about pipelined requests. */
  async play(): Promise<void> {
    const { ending, requests } = this.scenario
    const client = await RawClient.open(this.stage.port)
    if (ending.kind === 'reset') {
      await this.all(client, requests.slice(0, -1))
      await this.cutOff(client, ending.share, requests.at(-1))
      return
    }
    await this.all(client, requests)
    if (requests.at(-1)?.last !== true) client.end()
    await client.hungUp()
  }

  private async all(client: RawClient, requests: readonly SentRequest[]): Promise<void> {
    for (const request of requests) {
      this.current = request
      const { expectation, bytes, method } = request
      await client.send(this.pieces(bytes))
      if (['any', 'wreck'].includes(expectation.kind)) await this.judgeAll(client, request)
      else {
        const reply = await client.reply(method === 'HEAD')
        expect(reply !== undefined, 'hung up without an answer')
        this.judge(request, reply)
      }
    }
  }

  /** Sends a part of a request and resets the connection. The request may be stored if all of it was sent. */
  private async cutOff(
    client: RawClient,
    share: number,
    request: SentRequest | undefined,
  ): Promise<void> {
    if (request !== undefined) {
      const sent = request.bytes.subarray(0, Math.floor(request.bytes.length * share))
      if (sent.length === request.bytes.length) this.stage.account.mayBeStored([request])
      await client.send(this.pieces(sent))
    }
    client.reset()
  }

  /**
   * Checks the replies to bytes that may contain any number of requests. Replies may be missing, because the
   * service may close a connection that is still sending.
   */
  private async judgeAll(client: RawClient, request: SentRequest): Promise<void> {
    client.end()
    for (;;) {
      const reply = await client.reply(false)
      if (reply === undefined) return
      this.judge(request, reply)
    }
  }

  private judge(request: SentRequest, reply: RawReply): void {
    this.statuses.push(reply.status)
    this.stage.judge.judge(request, reply)
  }

  private pieces(bytes: Buffer): readonly Buffer[] {
    const places = this.scenario.cuts
      .map((share) => Math.floor(share * bytes.length))
      .sort((a, b) => a - b)
    return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
  }
}
