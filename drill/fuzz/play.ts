import type { Account } from './account.js'
import type { Judge } from './judge.js'
import { RawClient, type RawReply } from './raw-client.js'
import { expect } from './reply-form.js'
import type { Scenario } from './scenarios.js'
import type { SentRequest } from './sent-request.js'

/** What came of a scenario: the statuses, and for a wrong one what is wrong and with which request. */
export interface Played {
  readonly statuses: readonly number[]
  readonly wrong?: { readonly what: string; readonly request: SentRequest | undefined }
}

export interface Stage {
  readonly port: number
  readonly judge: Judge
  readonly account: Account
}

/** Sends a scenario over a connection of its own and judges every reply. */
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

const remainder: Omit<SentRequest, 'bytes'> = {
  kind: 'a request that was cut off',
  method: '',
  expectation: { kind: 'any' },
  requestId: undefined,
  mayContinue: true,
  last: true,
}

class Player {
  readonly statuses: number[] = []
  current: SentRequest | undefined

  constructor(
    private readonly scenario: Scenario,
    private readonly stage: Stage,
  ) {}

  async play(): Promise<void> {
    const { ending, requests, cuts } = this.scenario
    const client = await RawClient.open(this.stage.port)
    if (ending.kind === 'whole') {
      if (cuts === undefined) await this.inTurns(client)
      else await client.send(pieces(Buffer.concat(requests.map(({ bytes }) => bytes)), cuts))
      if (cuts !== undefined) await this.judgeAll(client, requests)
      if (requests.at(-1)?.last !== true) client.end()
      await client.hungUp()
      return
    }
    const all = Buffer.concat(requests.map(({ bytes }) => bytes))
    const sent = all.subarray(0, Math.floor(all.length * ending.share))
    const [whole, rest] = wholeOnes(requests, sent.length)
    await client.send(pieces(sent, cuts ?? []))
    if (ending.kind === 'reset') {
      this.stage.account.mayBeStored(whole)
      client.reset()
      return
    }
    client.end()
    await this.judgeAll(client, whole)
    if (rest > 0) await this.judgeRest(client, sent.subarray(sent.length - rest))
    await client.hungUp()
  }

  private async inTurns(client: RawClient): Promise<void> {
    for (const request of this.scenario.requests) {
      await client.send([request.bytes])
      await this.judgeAll(client, [request])
    }
  }

  private async judgeAll(client: RawClient, requests: readonly SentRequest[]): Promise<void> {
    for (const request of requests) {
      this.current = request
      if (request.expectation.kind === 'any') await this.judgeAny(client, request)
      else {
        const reply = await client.reply(request.method === 'HEAD')
        expect(reply !== undefined, 'hung up without an answer')
        this.judge(request, reply)
      }
    }
  }

  /** Nobody knows how many requests these bytes are. */
  private async judgeAny(client: RawClient, request: SentRequest): Promise<void> {
    for (;;) {
      const reply = await client.reply(false)
      if (reply === undefined) return
      this.judge(request, reply)
    }
  }

  /** What is not there in full may be refused once; stored it must not be. */
  private async judgeRest(client: RawClient, bytes: Buffer): Promise<void> {
    this.current = { ...remainder, bytes }
    const toHead = bytes.includes('\r\n\r\n') && bytes.subarray(0, 5).toString() === 'HEAD '
    const reply = await client.reply(toHead)
    if (reply === undefined) return
    this.judge({ ...this.current, method: toHead ? 'HEAD' : '' }, reply)
    expect(reply.status !== 201, 'half a request was stored')
  }

  private judge(request: SentRequest, reply: RawReply): void {
    this.statuses.push(reply.status)
    this.stage.judge.judge(request, reply)
  }
}

/** The requests that are there in full, and how many bytes of the next one are. */
function wholeOnes(requests: readonly SentRequest[], sent: number) {
  let left = sent
  const whole: SentRequest[] = []
  for (const request of requests) {
    if (request.bytes.length > left) break
    left -= request.bytes.length
    whole.push(request)
  }
  return [whole, left] as const
}

function pieces(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = cuts.map((share) => Math.floor(share * bytes.length)).sort((a, b) => a - b)
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length))
}
