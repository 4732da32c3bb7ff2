/** What one frame of server-sent events says. */
export interface Frame {
  readonly id?: string
  readonly event?: string
  readonly data?: string
}

/** The frames in the chunks of a stream; what is left of one at the end is dropped, as the form asks. */
export async function* framesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder()
  let lines: string[] = []
  let begun = ''
  for await (const chunk of chunks) {
    const parts = (begun + decoder.decode(chunk, { stream: true })).split('\n')
    begun = parts.pop() ?? ''
    for (const line of parts.map((part) => part.replace(/\r$/, ''))) {
      if (line.startsWith(':')) continue
      if (line !== '') lines.push(line)
      else if (lines.length > 0) {
        yield frameOf(lines)
        lines = []
      }
    }
  }
}

/** Dossier sends each field once, with a space after the colon. */
function frameOf(lines: readonly string[]): Frame {
  const fields = lines.map((line) => {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    return [name, value] as const
  })
  return Object.fromEntries(fields)
}
