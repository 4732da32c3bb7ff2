/** The value of each sample, by its name and labels, such as 1 for `name{a="b"}`. */
export type Samples = ReadonlyMap<string, number>

const sampleForm = /^([a-z_][a-z0-9_]*(?:\{(?:[a-z_]+="[^"\\\n]*",?)+\})?) ([^ ]+)$/
const typeForm = /^# TYPE ([a-z_][a-z0-9_]*) (counter|gauge|histogram)$/

/** Parses the text format of Prometheus. Throws at a malformed or repeated line. */
export function samplesIn(text: string): Samples {
  const samples = new Map<string, number>()
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [, name, value] = sampleForm.exec(line) ?? []
    if (name === undefined || samples.has(name)) throw new Error(`no sample: ${line}`)
    if (Number.isNaN(Number(value))) throw new Error(`no number: ${line}`)
    samples.set(name, Number(value))
  }
  return samples
}

/** Returns the names and types of all metrics. */
export function metricsIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split('\n')) {
    if (!line.startsWith('# TYPE ')) continue
    const [, name = '', type = ''] = typeForm.exec(line) ?? []
    if (name === '' || found.has(name)) throw new Error(`no type: ${line}`)
    found.set(name, type)
  }
  return found
}
