/** A sample's name with its labels, and its value: `name{a="b"}` → 1. */
export type Samples = ReadonlyMap<string, number>

const sampleForm = /^([a-z_][a-z0-9_]*(?:\{(?:[a-z_]+="[^"\\\n]*",?)+\})?) ([^ ]+)$/
const typeForm = /^# TYPE ([a-z_][a-z0-9_]*) (counter|gauge|histogram)$/

/** Reads the text format of Prometheus; throws at a line that has another form, or comes twice. */
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

/** The names and types of all metrics. */
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
