/** A frame of a stream of server-sent events. */
export interface Frame {
  readonly id: string | undefined
  /** The event type. Undefined when the frame has none. */
  readonly event: string | undefined
  readonly data: string | undefined
}

/**
 * Yields the frames of a stream. Omits an incomplete last frame. Calls `read` for more bytes only
 * after the caller has received all frames, so that a slow reader slows the sender down.
 */
export async function* framesOf(
  read: () => Promise<Uint8Array | undefined>,
): AsyncGenerator<Frame, void, undefined> {
  let fields = new Fields()
  for await (const line of linesOf(read)) {
    if (line !== '') {
      fields.add(line)
      continue
    }
    if (!fields.isEmpty) yield fields.frame
    fields = new Fields()
  }
}

class Fields {
  private readonly data: string[] = []
  private event: string | undefined
  private id: string | undefined

  /** Adds a line. Ignores unknown fields, and comments, whose field name is empty. */
  add(line: string): void {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (name === 'data') this.data.push(value)
    else if (name === 'event') this.event = value
    else if (name === 'id') this.id = value
  }

  get isEmpty(): boolean {
    return this.id === undefined && this.event === undefined && this.data.length === 0
  }

  get frame(): Frame {
    const data = this.data.length === 0 ? undefined : this.data.join('\n')
    return { id: this.id, event: this.event, data }
  }
}

/** Yields lines, which end with CR, LF or CR LF. Omits an incomplete last line. */
async function* linesOf(
  read: () => Promise<Uint8Array | undefined>,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  let endedWithReturn = false
  for (let bytes = await read(); bytes !== undefined; bytes = await read()) {
    let text = decoder.decode(bytes, { stream: true })
    if (endedWithReturn && text.startsWith('\n')) text = text.slice(1)
    if (text === '') continue
    endedWithReturn = text.endsWith('\r')
    const parts = text.split(/\r\n|\r|\n/)
    const rest = parts.pop() ?? ''
    for (const part of parts) {
      yield begun.join('') + part
      begun = []
    }
    begun.push(rest)
  }
}
