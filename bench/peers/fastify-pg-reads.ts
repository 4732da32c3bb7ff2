import type { FastifyInstance } from 'fastify'
import type pg from 'pg'
import { z } from 'zod'
import { pathSchema, success } from './forms.js'

const pageSchema = z.strictObject({ limit: z.coerce.number().int().min(1).max(1_000).default(100) })

const selectEntity = {
  name: 'select-entity',
  text: 'SELECT external_id, properties, created_at FROM entities WHERE external_id = $1',
}

const selectEvents = {
  name: 'select-events',
  text: `
    SELECT id, name, properties, recorded_at AS timestamp, recorded_at AS occurred_at
    FROM events WHERE entity_external_id = $1 ORDER BY recorded_at DESC LIMIT $2`,
}

/**
 * Adds reads, with one prepared statement each. Creates an index for the pages, which slows down writes, so the
 * rows that measure writes omit it. Vacuums and analyses the tables at the first read, after they were filled.
 */
export async function addReads(server: FastifyInstance, pool: pg.Pool): Promise<void> {
  await pool.query('CREATE INDEX ON events (entity_external_id, recorded_at DESC)')
  let settling: Promise<unknown> | undefined
  const settled = () => (settling ??= pool.query('VACUUM ANALYZE entities, events'))

  server.get('/entities/:id', async (request, reply) => {
    const { id } = pathSchema.parse(request.params)
    await settled()
    const { rows } = await pool.query<object>({ ...selectEntity, values: [id] })
    const [entity] = rows
    return entity === undefined ? reply.code(404).send({ status: 'error' }) : success(entity)
  })

  server.get('/entities/:id/events', async (request) => {
    const { id } = pathSchema.parse(request.params)
    const { limit } = pageSchema.parse(request.query)
    await settled()
    const { rows } = await pool.query<object>({ ...selectEvents, values: [id, limit] })
    return success({ items: rows, next_cursor: null })
  })
}
