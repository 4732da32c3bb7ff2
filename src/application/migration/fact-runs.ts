import { maxDataBytes } from '../facts/fact-limits.js'
import { keyIn } from '../facts/metadata.js'
import type { StoredFact } from '../facts/stored-fact.js'
import type { FactRun } from './ports/fact-target.js'

/** Facts of one append of a copy. */
const maxFacts = 500

/**
 * Cuts a stream into appends of at most 1 MiB of data and as much of metadata, the same ones whenever
 * it begins at the same fact. What was stored under one key stays together: a store finds it again by
 * its first and last fact.
 */
export async function* appendsOf(
  pages: AsyncIterable<readonly StoredFact[]>,
): AsyncIterable<readonly FactRun[]> {
  let runs: FactRun[] = []
  let size = nothing
  for await (const run of runsIn(pages)) {
    const more = sizeOf(run)
    if (runs.length > 0 && !fits(size, more)) {
      yield runs
      runs = []
      size = nothing
    }
    runs.push(run)
    size = sum(size, more)
  }
  if (runs.length > 0) yield runs
}

async function* runsIn(pages: AsyncIterable<readonly StoredFact[]>): AsyncIterable<FactRun> {
  let run: { key: string | undefined; facts: StoredFact[] } | undefined
  for await (const page of pages) {
    for (const fact of page) {
      const key = keyIn(fact.metadata)
      if (run !== undefined && key !== undefined && key === run.key) {
        run.facts.push(fact)
        continue
      }
      if (run !== undefined) yield run
      run = { key, facts: [fact] }
    }
  }
  if (run !== undefined) yield run
}

interface Size {
  readonly facts: number
  readonly data: number
  readonly metadata: number
}

const nothing: Size = { facts: 0, data: 0, metadata: 0 }

function sizeOf({ facts }: FactRun): Size {
  return facts
    .map(({ data, metadata }) => ({
      facts: 1,
      data: Buffer.byteLength(data),
      metadata: Buffer.byteLength(metadata),
    }))
    .reduce(sum, nothing)
}

function sum(left: Size, right: Size): Size {
  return {
    facts: left.facts + right.facts,
    data: left.data + right.data,
    metadata: left.metadata + right.metadata,
  }
}

function fits(size: Size, more: Size): boolean {
  const { facts, data, metadata } = sum(size, more)
  return facts <= maxFacts && data <= maxDataBytes && metadata <= maxDataBytes
}
