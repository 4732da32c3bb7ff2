import type { StreamFact, StreamReader } from '../../src/application/ports/exact-appends.js'

/** Returns the facts of a stream from a revision on, by reading page after page. */
export async function wholeStream(
  reader: StreamReader,
  stream: string,
  from = 0,
): Promise<readonly StreamFact[]> {
  const facts: StreamFact[] = []
  for (;;) {
    const page = await reader.readStream(stream, from + facts.length)
    if (page.length === 0) return facts
    facts.push(...page)
  }
}
