import type { Position } from './subscription-errors.js'

/** An event of any type. */
export interface LogEvent {
  readonly id: string
  readonly type: string
  readonly stream: string
  /**
   * The index in the stream. The index of a tombstone is 2^63 - 1, rounded to the nearest number.
   */
  readonly revision: number
  /**
   * The commit position and the prepare position: byte offsets in the log's files, which a number
   * represents exactly.
   */
  readonly commit: number
  readonly prepare: number
  /** Whether the content type declares the data to be JSON. */
  readonly isJson: boolean
  /** The stored text, unchanged. */
  readonly data: string
  /** The stored text. Empty when the event has no metadata. */
  readonly metadata: string
}

/** One message of the server's response to `Read`. */
export type ReadResponse =
  | { readonly kind: 'event'; readonly event: LogEvent }
  /** The server has sent all matching events up to the position. */
  | { readonly kind: 'checkpoint'; readonly position: Position }
  /** The server has sent all events that were stored when the subscription began. */
  | { readonly kind: 'caught_up' }
  /** The server has accepted the call. */
  | { readonly kind: 'confirmation' }
  /** The stream does not exist, or was deleted. */
  | { readonly kind: 'stream_missing' }
  | { readonly kind: 'other' }

/**
 * Decodes a `ReadResp` of EventStoreDB's `streams.proto`. The official decoder creates four objects
 * per event and parses JSON that this service would serialise again. That work dominates the cost
 * of a read. Throws when a message is truncated or an event has no id.
 */
export function readResponseIn(bytes: Buffer): ReadResponse {
  const wire = new Wire(bytes)
  while (wire.at < bytes.length) {
    const tag = wire.varint()
    switch (tag) {
      case message(1):
        return eventIn(wire, wire.end())
      case message(2):
        return { kind: 'confirmation' }
      case message(3):
        return { kind: 'checkpoint', position: positionIn(wire, wire.end()) }
      case message(4):
        return { kind: 'stream_missing' }
      case message(8):
        return { kind: 'caught_up' }
      default:
        wire.skip(tag)
    }
  }
  return { kind: 'other' }
}

/** Converts a position of this service, which is a commit position, to an EventStoreDB position. */
export function positionAt(position: number): Position {
  return { commit: BigInt(position), prepare: BigInt(position) }
}

export function positionOf({ commit, prepare }: LogEvent): Position {
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

/** Decodes a `ReadEvent`. The message has no event when it is a link to a removed event. */
function eventIn(wire: Wire, end: number): ReadResponse {
  let event: LogEvent | undefined
  while (wire.at < end) {
    const tag = wire.varint()
    if (tag === message(1)) event = recordedIn(wire, wire.end())
    else wire.skip(tag)
  }
  return event === undefined ? { kind: 'other' } : { kind: 'event', event }
}

/** Decodes a `RecordedEvent`. */
function recordedIn(wire: Wire, end: number): LogEvent {
  const event = { ...noEvent }
  while (wire.at < end) {
    const tag = wire.varint()
    switch (tag) {
      case message(1):
        event.id = wire.textIn(wire.end(), 2)
        break
      case message(2):
        event.stream = wire.textIn(wire.end(), 3)
        break
      case message(6):
        describe(event, wire, wire.end())
        break
      case message(7):
        event.metadata = wire.text(wire.end())
        break
      case message(8):
        event.data = wire.text(wire.end())
        break
      default:
        numberIn(event, wire, tag)
    }
  }
  if (event.id === '') throw new Error(`an event at ${String(event.commit)} has no id`)
  return event
}

function numberIn(event: typeof noEvent, wire: Wire, tag: number): void {
  switch (tag) {
    case number(3):
      event.revision = wire.varint()
      return
    case number(4):
      event.prepare = wire.varint()
      return
    case number(5):
      event.commit = wire.varint()
      return
    default:
      wire.skip(tag)
  }
}

const noEvent = {
  id: '',
  type: '',
  stream: '',
  revision: 0,
  commit: 0,
  prepare: 0,
  isJson: false,
  data: '',
  metadata: '',
}

/** Decodes an entry of the map `metadata` into `event`: a name, then its value. */
function describe(event: typeof noEvent, wire: Wire, end: number): void {
  let [isType, isContentType] = [false, false]
  while (wire.at < end) {
    const tag = wire.varint()
    const fieldEnd = wire.end()
    if (tag === message(1)) {
      isType = wire.says('type', fieldEnd)
      isContentType = wire.says('content-type', fieldEnd)
    } else if (isType) event.type = wire.text(fieldEnd)
    else if (isContentType) event.isJson = wire.says('application/json', fieldEnd)
    wire.at = fieldEnd
  }
}

/** Decodes a `Checkpoint`. */
function positionIn(wire: Wire, end: number): Position {
  let [commit, prepare] = [0, 0]
  while (wire.at < end) {
    const tag = wire.varint()
    if (tag === number(1)) commit = wire.varint()
    else if (tag === number(2)) prepare = wire.varint()
    else wire.skip(tag)
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) }
}

/** Returns the tag of a field with a length prefix: an embedded message, text or bytes. */
function message(field: number): number {
  return field * 8 + 2
}

/** Returns the tag of a varint field. */
function number(field: number): number {
  return field * 8
}

/** Reads the wire format of protocol buffers. */
class Wire {
  at = 0

  constructor(private readonly bytes: Buffer) {}

  varint(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at]
      if (byte === undefined) throw new RangeError('a message is cut short')
      this.at += 1
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }

  /** Reads a length, and returns the offset at which the field ends. */
  end(): number {
    const length = this.varint()
    const end = this.at + length
    if (end > this.bytes.length) throw new RangeError('a message is cut short')
    return end
  }

  text(end: number): string {
    const text = this.bytes.toString('utf8', this.at, end)
    this.at = end
    return text
  }

  /** Returns the text of one field in a message that ends at `end`. Empty when the field is absent. */
  textIn(end: number, field: number): string {
    let text = ''
    while (this.at < end) {
      const tag = this.varint()
      if (tag === message(field)) text = this.text(this.end())
      else this.skip(tag)
    }
    return text
  }

  /** Returns whether the bytes from `at` to `end` equal this ASCII text. */
  says(text: string, end: number): boolean {
    if (end - this.at !== text.length) return false
    for (let n = 0; n < text.length; n += 1)
      if (this.bytes[this.at + n] !== text.charCodeAt(n)) return false
    return true
  }

  skip(tag: number): void {
    switch (tag % 8) {
      case 0:
        this.varint()
        return
      case 1:
        this.at += 8
        return
      case 2:
        this.at = this.end()
        return
      case 5:
        this.at += 4
        return
      default:
        throw new RangeError('a message has a field of an unknown wire type')
    }
  }
}
