import type { RunningServer } from '../servers/running-server.js'
import { HttpSubject, type Filled, type HttpLoad } from './http-subject.js'
import { paired, type Comparison } from './paired.js'
import type { Bench } from './row.js'
import type { Subject } from './subject.js'

export interface HttpSide {
  readonly server: RunningServer
  readonly load: Omit<HttpLoad, 'named'>
  readonly filled?: Filled
  /** The number of entities that the requests are about. Default: the run's option. */
  readonly named?: number
}

/** Compares two servers, each under its own load, slice by slice. */
export async function compare(bench: Bench, a: HttpSide, b: HttpSide): Promise<Comparison> {
  return comparePrepared(bench, await prepare(bench, a), await prepare(bench, b))
}

export function comparePrepared(bench: Bench, a: Subject, b: Subject): Promise<Comparison> {
  const { progress, options } = bench
  const done = () => {
    progress.done(1)
  }
  return paired(a, b, { ...options, done })
}

export function prepare(
  { load, options }: Bench,
  { server, load: wanted, filled, named = options.named }: HttpSide,
): Promise<HttpSubject> {
  return HttpSubject.prepare(server, load, { ...wanted, named }, filled)
}
