import { expect } from '@jest/globals'
import { nextLook } from '../next-look.js'
import type { StartedService } from '../started-service.js'
import { membersOf } from './compare-members.js'
import { externalIds, segmentKeys, type Given, type What } from './history-log.js'
import { withLogTime, type AnyLogFact, type TimedFact } from './log-facts.js'
import { builtInOrder, causesOfNow } from './published-facts.js'

/** What a service said of the members of a segment. */
interface Said {
  readonly key: string
  readonly position: number
  readonly logTime: string | null
  readonly members: object
}

/** A history that is sent to a service, and what that said on the way. */
export class ServiceHistory {
  private readonly said: Said[] = []
  private readonly known = new Set<string>()
  private position = '0'

  constructor(private readonly service: StartedService) {}

  /** After each write the members of every segment are read with its `Position`. */
  async send({ entityCount, steps }: Given): Promise<void> {
    for (const { step } of steps) {
      const isWritten = await this.write(step, entityCount)
      if (isWritten) for (const key of segmentKeys) await this.readMembers(key)
    }
  }

  private async write(step: What, entityCount: number): Promise<boolean> {
    switch (step.what) {
      case 'profile':
      case 'event':
      case 'hand':
        return this.writeOf(externalIds[step.entity % entityCount] ?? '', step)
      case 'define': {
        const given = step.rule === undefined ? { kind: 'hand' } : { kind: 'rule', rule: step.rule }
        return this.call('PUT', `/segments/${step.key}`, { title: step.key, ...given })
      }
      case 'retire':
        return this.call('DELETE', `/segments/${step.key}`)
      case 'built':
      case 'time':
        return false
    }
  }

  private async writeOf(id: string, step: Extract<What, { entity: number }>): Promise<boolean> {
    if (!this.known.has(id)) {
      this.known.add(id)
      await this.call('POST', '/entities', { external_id: id })
    }
    const entity = encodeURIComponent(id)
    if (step.what === 'profile') {
      const unset = step.unset.filter((name) => !Object.hasOwn(step.set, name))
      return this.call('PATCH', `/entities/${entity}`, { set: step.set, unset })
    }
    if (step.what === 'hand') {
      const method = step.isAdded ? 'PUT' : 'DELETE'
      return this.call(method, `/segments/${step.key}/members/${entity}`)
    }
    const { name, properties, late } = step
    // What is to come may be a little ahead, and a request takes its time.
    const occurredAt = new Date(Date.now() - Math.max(late ?? 0, 1 - 55_000)).toISOString()
    const occurred = late === undefined ? {} : { occurred_at: occurredAt }
    return this.call('POST', '/events', { entity_external_id: id, name, properties, ...occurred })
  }

  /** False: it was refused, as what breaks a rule of the interface is. */
  private async call(method: string, path: string, body?: object): Promise<boolean> {
    const reply = await this.fetch(path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    await reply.arrayBuffer()
    expect(reply.status).toBeLessThan(500)
    if (!reply.ok) return false
    this.position = reply.headers.get('position') ?? this.position
    return true
  }

  private async readMembers(key: string): Promise<void> {
    const path = `/segments/${key}/members?limit=1000`
    const reply = await this.fetch(path, { headers: { position: this.position } })
    const body = (await reply.json()) as { data?: { items: readonly Member[] } & Figures }
    // It was never defined or is retired, or is not built for the first time.
    if (body.data === undefined) {
      expect([404, 503]).toContain(reply.status)
      return
    }
    const { items, members, digest } = body.data
    const position = Number(reply.headers.get('position'))
    expect(position).toBeGreaterThanOrEqual(Number(this.position))
    const listed = items.map((item) => ({
      externalId: item.external_id,
      entityId: item.entity_id,
      since: item.since,
    }))
    const logTime = reply.headers.get('log-time')
    this.said.push({ key, position, logTime, members: { items: listed, members, digest } })
  }

  /** When the log was told everything: all facts, from the feed. */
  async log(): Promise<readonly TimedFact[]> {
    for (;;) {
      const before = await this.feed()
      const { items } = await this.get<{ items: readonly { status: string }[] }>('/segments')
      const isLive = items.every(({ status }) => status === 'live')
      const metrics = await (await this.fetch('/metrics')).text()
      const after = await this.feed()
      const isTold = /^dossier_segments_unpublished 0$/m.test(metrics)
      if (isLive && isTold && before.length === after.length) return withLogTime(after)
      await nextLook()
    }
  }

  private async feed() {
    const page = await this.get<{ items: readonly (AnyLogFact & FeedPlace)[] }>('/facts?limit=1000')
    return page.items.map((fact) => ({ ...fact, position: Number(fact.position) }))
  }

  /** Compares what was said with the naive evaluation; how many answers it were. */
  judge(log: readonly TimedFact[]): number {
    let judged = 0
    for (const { key, position, logTime, members } of this.said) {
      const known = log.filter((fact) => fact.position <= position)
      const place = { key, position }
      const last = new Date(known.at(-1)?.logTime ?? 0).toISOString()
      expect({ ...place, logTime }).toEqual({ ...place, logTime: last })
      // Until the newest version is built, the one before is served.
      const served = builtInOrder(known).findLast(({ data }) => data.segment === key)
      if (served?.data.through !== causesOfNow(known).get(key)) continue
      expect({ ...place, ...members }).toEqual({ ...place, ...membersOf(known, key) })
      judged += 1
    }
    return judged
  }

  private async get<T>(path: string): Promise<T> {
    return ((await (await this.fetch(path)).json()) as { readonly data: T }).data
  }

  private fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${this.service.key}`)
    return fetch(this.service.origin + path, { ...init, headers })
  }
}

interface Member {
  readonly external_id: string
  readonly entity_id: string
  readonly since: string
}

interface Figures {
  readonly members: number
  readonly digest: string
}

interface FeedPlace {
  readonly stream: string
  readonly position: string
}
