import { firstEventAt, millisecondsBetween, stride } from '../segments/bench-facts.js'
import { BenchReadModel } from '../segments/bench-read-model.js'
import { psql } from '../segments/psql.js'
import { segmentsOf } from '../segments/segments-of.js'
import type { Row } from './row.js'

const eventsEach = 10
const touched = 4

/** What it costs to ask a database for all members again, as often as one wants to be up to date. */
export const segmentsSql: Row = {
  id: 'segments-sql',
  about: 'the same segments over the same events as SQL, all of them evaluated once by PostgreSQL',
  long: true,
  run: async (bench) => {
    const { options, progress, scope } = bench
    const content = { entities: options.customers, events: options.customers * eventsEach }
    const segments = segmentsOf(options.segments, touched)
    const cluster = await bench.postgres()
    progress.begin('filling tables and a read model', 1)
    await psql(cluster.url, tablesOf(content))
    const model = await BenchReadModel.filled(`${await bench.folder()}/sql.db`, content, scope)
    await model.build(segments)
    const now = `timestamptz '${model.facts.time}'`
    const statements = segments.map(({ sql }) => `SELECT count(*) FROM (${sql(now)}) AS members`)
    progress.begin('evaluating', 1)
    const before = cluster.cpu()
    const begun = performance.now()
    const counts = await psql(cluster.url, statements)
    const wall = performance.now() - begun
    const after = cluster.cpu()
    progress.end()
    for (const [at, { key }] of segments.entries()) {
      const members = String(await model.membersOf(key))
      if (counts[at] === members) continue
      throw new Error(`${key} has ${members} members, by SQL ${String(counts[at])}`)
    }
    const cpu = before === undefined || after === undefined ? [] : [(after - before) / 1_000]
    return {
      figures: [
        { name: 'entities', value: content.entities, unit: '' },
        { name: 'events', value: content.events, unit: '' },
        { name: 'segments', value: segments.length, unit: '' },
        ...cpu.map((value) => ({ name: 'CPU', value, unit: 'ms' })),
        { name: 'all evaluated in', value: wall / 1_000, unit: 's' },
      ],
      notes: [`${cluster.version}; the members are as many as Dossier's`],
    }
  },
}

/** The entities and events of `BenchFacts`, and the indexes that the statements use. */
function tablesOf({ entities, events }: { entities: number; events: number }): readonly string[] {
  const of = String(entities)
  const began = `timestamptz '${new Date(firstEventAt).toISOString()}'`
  return [
    'DROP TABLE IF EXISTS events, entities',
    'CREATE TABLE entities (id int PRIMARY KEY, properties jsonb NOT NULL)',
    `CREATE TABLE events (
       entity int NOT NULL, name text NOT NULL, properties jsonb NOT NULL,
       occurred_at timestamptz NOT NULL)`,
    `INSERT INTO entities SELECT n, jsonb_build_object(
       'plan', CASE WHEN n % 3 = 0 THEN 'paid' ELSE 'free' END)
     FROM generate_series(0, ${of} - 1) AS n`,
    `INSERT INTO events SELECT (n % ${of} * ${String(stride)} + n / ${of}) % ${of},
       CASE WHEN n % 2 = 0 THEN 'buy' ELSE 'visit-' || n / 2 % 100 END,
       jsonb_build_object('total', n * 37 % 100),
       ${began} + n * interval '${String(millisecondsBetween(events))} milliseconds'
     FROM generate_series(0, ${String(events)}::bigint - 1) AS n`,
    'CREATE INDEX ON events (entity, name, occurred_at)',
    'CREATE INDEX ON events (name, occurred_at, entity)',
    'VACUUM ANALYZE entities, events',
  ]
}
