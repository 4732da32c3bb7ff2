import { existsSync, rmSync, statSync } from 'node:fs'
import { median } from '../report/statistics.js'
import { dataFile, factsIn, startDossier, type Dossier } from '../servers/dossier.js'
import { cpuOf } from '../servers/process-figures.js'
import { caughtUp, readsAnswered } from '../servers/read-readiness.js'
import { comparePrepared } from './compare.js'
import { fillFile } from './fill-file.js'
import { ReadSubject } from './read-subject.js'
import type { Bench, Row } from './row.js'

/** The number of rebuilds. A smoke run does one. */
const defaultBuilds = 3

/**
 * Measures the rebuild of a read model from many facts. Then compares reads from that read model with reads from a
 * nearly empty one.
 */
export const rebuild: Row = {
  id: 'rebuild',
  about: 'GET /entities/{id} with a read model of many facts / with one of next to none',
  long: true,
  run: async (bench) => {
    const { options, progress, scope, load } = bench
    const folder = await bench.folder()
    const entities = Math.ceil(options.rebuild / 10)
    await fillFile(dataFile(folder), { facts: options.rebuild, entities }, progress)
    const facts = factsIn(dataFile(folder))
    const builds = await buildOften(folder, bench)
    const built = await startDossier({ name: 'full', folder }, scope)
    const empty = await startDossier({ name: 'empty', folder: await bench.folder() }, scope)
    const wanted = { kind: 'profile', named: options.named } as const
    const subjectOf = (server: Dossier, content: Parameters<typeof ReadSubject.prepare>[3]) =>
      ReadSubject.prepare(server, load, wanted, content, () => caughtUp(server))
    await readsAnswered(built)
    const a = await subjectOf(built, { facts, entities })
    const b = await subjectOf(empty, { eventsEach: 0 })
    const comparison = await comparePrepared(bench, a, b)
    const seconds = median(builds.map(({ milliseconds }) => milliseconds)) / 1_000
    const cpus = builds.flatMap(({ cpu }) => cpu ?? [])
    return {
      comparison,
      figures: [
        { name: 'facts', value: facts, unit: '' },
        { name: 'entities', value: entities, unit: '' },
        { name: 'built in', value: seconds, unit: 's' },
        { name: 'facts a second', value: facts / seconds, unit: '' },
        { name: 'CPU', value: median(cpus) / facts, unit: 'µs a fact' },
        { name: 'read model', value: sizeOf(builds) / facts, unit: 'bytes a fact' },
        { name: 'data file', value: statSync(dataFile(folder)).size / facts, unit: 'bytes a fact' },
      ],
    }
  },
}

interface Build {
  /** The time from the start of the process until it answers reads, including the start of Node. */
  readonly milliseconds: number
  /** The CPU time of the process until then, in µs. */
  readonly cpu: number | undefined
  readonly bytes: number
}

async function buildOften(folder: string, { options, progress, scope }: Bench) {
  const builds: Build[] = []
  const times = options.smoke ? 1 : defaultBuilds
  progress.begin(`building a read model of ${String(options.rebuild)} facts`, times)
  while (builds.length < times) {
    removeReadModel(folder)
    const begun = performance.now()
    const server = await startDossier({ name: 'dossier', folder }, scope)
    await readsAnswered(server)
    const milliseconds = performance.now() - begun
    const cpu = cpuOf(server.pid)
    await server.end()
    builds.push({ milliseconds, cpu, bytes: statSync(readModelFile(folder)).size })
    progress.done(1)
  }
  progress.end()
  return builds
}

function sizeOf(builds: readonly Build[]): number {
  return median(builds.map(({ bytes }) => bytes))
}

function readModelFile(folder: string): string {
  return `${folder}/read-model.db`
}

function removeReadModel(folder: string): void {
  for (const end of ['', '-wal', '-shm']) {
    const path = readModelFile(folder) + end
    if (existsSync(path)) rmSync(path)
  }
}
