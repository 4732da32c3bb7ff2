import { median, spreadOf, type Spread } from '../report/statistics.js'
import type { Slice, Subject } from './subject.js'

export interface Pair {
  readonly a: Slice
  readonly b: Slice
}

/** The medians of one side's slices, and its memory after the last slice. */
export interface Side {
  readonly name: string
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpu: number | undefined
  readonly databaseCpu: number | undefined
  readonly loadCpu: number | undefined
  readonly rss: number | undefined
}

/** The comparison of A with B, pair by pair. */
export interface Comparison {
  readonly a: Side
  readonly b: Side
  /** The ratio of requests per second: A divided by B. */
  readonly ratio: Spread | undefined
  readonly p99Ratio: Spread | undefined
  readonly cpuRatio: Spread | undefined
  readonly pairs: readonly Pair[]
}

export interface Pairing {
  readonly slices: number
  readonly seconds: number
  readonly warmUpSeconds: number
  /** Called after each slice. */
  readonly done: () => void
}

/**
 * Runs slices in the order A B, B A, A B …, after one slice of each that does not count. Then ends both sides. Work
 * that a slice leaves behind runs during the next slice. With this order, it disturbs both sides equally often.
 */
export async function paired(a: Subject, b: Subject, pairing: Pairing): Promise<Comparison> {
  const { slices, seconds, warmUpSeconds, done } = pairing
  await a.slice(warmUpSeconds)
  await b.slice(warmUpSeconds)
  const pairs: Pair[] = []
  const measure = async (subject: Subject) => {
    const slice = await subject.slice(seconds)
    done()
    return slice
  }
  while (pairs.length < slices) {
    const swapped = pairs.length % 2 === 1
    const first = await measure(swapped ? b : a)
    const second = await measure(swapped ? a : b)
    pairs.push(swapped ? { a: second, b: first } : { a: first, b: second })
  }
  const sides = {
    a: sideOf(
      a,
      pairs.map((pair) => pair.a),
    ),
    b: sideOf(
      b,
      pairs.map((pair) => pair.b),
    ),
  }
  await a.end()
  await b.end()
  return {
    ...sides,
    ratio: ratioOf(pairs, ({ perSecond }) => perSecond),
    p99Ratio: ratioOf(pairs, ({ p99 }) => p99),
    cpuRatio: ratioOf(pairs, ({ cpu }) => cpu),
    pairs,
  }
}

function sideOf(subject: Subject, slices: readonly Slice[]): Side {
  const middle = (figure: (slice: Slice) => number | undefined) => {
    const known = slices.map(figure).filter((value) => value !== undefined)
    return known.length === 0 ? undefined : median(known)
  }
  return {
    name: subject.name,
    perSecond: median(slices.map(({ perSecond }) => perSecond)),
    p50: median(slices.map(({ p50 }) => p50)),
    p99: median(slices.map(({ p99 }) => p99)),
    cpu: middle(({ cpu }) => cpu),
    databaseCpu: middle(({ databaseCpu }) => databaseCpu),
    loadCpu: middle(({ loadCpu }) => loadCpu),
    rss: subject.rss(),
  }
}

function ratioOf(
  pairs: readonly Pair[],
  figure: (slice: Slice) => number | undefined,
): Spread | undefined {
  const ratios = pairs.flatMap(({ a, b }) => {
    const [ours, theirs] = [figure(a), figure(b)]
    return ours === undefined || theirs === undefined || theirs === 0 ? [] : ours / theirs
  })
  return spreadOf(ratios)
}
