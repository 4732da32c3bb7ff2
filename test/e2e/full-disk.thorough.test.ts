import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { mountSmallDisk } from '../support/mount-small-disk.js'
import { itWithSmallDisk } from '../support/small-disk.js'
import { samplesIn } from '../support/prometheus-text.js'
import { sqliteFacts } from '../support/sqlite-facts.js'
import { StartedService } from '../support/started-service.js'

itWithSmallDisk(
  'the service refuses writes on a full disk, logs it, loses nothing, and continues when there is space',
  async () => {
    const disk = mountSmallDisk(8)
    try {
      const ballast = join(disk.folder, 'ballast')
      writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024))
      const service = await StartedService.start(disk.folder)
      await service.createEntity('ada')
      const event = {
        entity_external_id: 'ada',
        name: 'note',
        properties: { text: 'x'.repeat(50_000) },
      }
      const acknowledged: string[] = []
      const send = async () => {
        const reply = await service.post('/events', event)
        if (reply.status === 201) {
          acknowledged.push(((await reply.json()) as { data: { id: string } }).data.id)
        }
        return reply
      }
      let refused = await send()
      while (refused.status === 201) refused = await send()
      expect(refused.status).toBe(503)
      expect(refused.headers.get('retry-after')).toBe('1')
      expect(await refused.json()).toMatchObject({ error: { code: 'store_unavailable' } })
      expect((await service.createEntity('ada')).status).toBe(409)
      expect((await fetch(`${service.origin}/health/live`)).status).toBe(200)
      const ready = async () => (await fetch(`${service.origin}/health/ready`)).status
      expect(await ready()).toBe(503)
      const samples = async () => samplesIn(await (await fetch(`${service.origin}/metrics`)).text())
      const full = await samples()
      let later = full
      while (later.get('dossier_checkpoint_failures_total') === 0) {
        expect((await send()).status).toBe(503)
        later = await samples()
      }
      const grown = (name: string) => (later.get(name) ?? 0) - (full.get(name) ?? 0)
      expect(grown('dossier_checkpoint_failures_total')).toBeGreaterThan(0)
      expect(grown('dossier_commit_duration_seconds_count')).toBeGreaterThan(0)
      expect(grown('dossier_commit_facts_count')).toBe(0)
      rmSync(ballast)
      expect((await send()).status).toBe(201)
      const statuses = [await ready()]
      while (statuses.at(-1) !== 200) statuses.push(await ready())
      expect(new Set(statuses)).toEqual(new Set([503, 200]))
      expect((await service.end()).code).toBe(0)
      const [, ...events] = sqliteFacts(service.database, 'entity-ada').map(({ id }) => id)
      expect(events).toEqual(acknowledged)
    } finally {
      disk.unmount()
    }
  },
  60_000,
)
