import type { InPieces } from '../../../domain/in-pieces.js'

/**
 * The maximum number of characters between two pauses. Only a single string that is longer is
 * parsed without a pause.
 */
export const maxPartLength = 32_768

/**
 * The maximum number of parts between two pauses. Deeply nested text has many short parts, because
 * a part ends where a level closes.
 */
const maxPartsAtOnce = 256

type Parse = (text: string) => unknown

/**
 * Parses JSON text in pieces, so that a large body does not block the event loop. Parses the
 * members of a long list or object in groups. Parses short lists and objects together with their
 * neighbours. `parse` parses a short text. Throws a `SyntaxError` for invalid JSON.
 */
export function* parseInParts(
  text: string,
  parse: Parse,
  partLength = maxPartLength,
): InPieces<unknown> {
  if (text.length <= partLength) return parse(text)
  const whole = text.startsWith(byteOrderMark) ? text.slice(1) : text
  const parts = new Parts(whole, parse, partLength)
  for (let at = 0; at < whole.length;) {
    at = parts.read(at, Math.min(at + partLength, whole.length))
    yield
  }
  return parts.end()
}

const byteOrderMark = '\uFEFF'
const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/**
 * The parser's state: the lists and objects that are open at the current index, and the members
 * that were parsed so far.
 */
class Parts {
  /** The number of parts that were parsed so far. */
  private taken = 0
  private isInString = false
  /**
   * Start indexes in the text, by depth: of the open list or object, of its first member that is
   * not parsed yet, and of its last member.
   */
  private readonly opened = [-1]
  private readonly from = [0]
  private readonly memberFrom = [0]
  /**
   * The parsed members of the open lists and objects, by depth. A depth has no entry when its list
   * or object has no parsed member yet. Depth 0 treats the whole text as the member of a list.
   */
  private readonly values = new Map<number, object>()
  /**
   * The value of the current member, and its range in the text. Undefined unless the member was
   * parsed on its own.
   */
  private inner: { readonly value: object; readonly from: number; readonly to: number } | undefined

  constructor(
    private readonly text: string,
    private readonly parse: Parse,
    private readonly partLength: number,
  ) {}

  /**
   * Reads the text up to index `to`, or stops earlier after `maxPartsAtOnce` parts. Returns the index that it
   * reached.
   */
  read(from: number, to: number): number {
    const last = this.taken + maxPartsAtOnce
    let at = from
    for (; at < to && this.taken < last; at += 1) {
      if (this.isInString) at = this.endOfString(at)
      else this.readSign(at)
    }
    return at
  }

  private endOfString(from: number): number {
    const end = this.text.indexOf('"', from)
    if (end < 0) throw malformed()
    this.isInString = isEscaped(this.text, end)
    return end
  }

  private readSign(at: number): void {
    const sign = this.text.charCodeAt(at)
    if (sign === quote) this.isInString = true
    else if (sign === comma) this.endMember(at)
    else if (sign === openBracket || sign === openBrace) this.open(at)
    else if (sign === closeBracket || sign === closeBrace) this.close(at, sign === closeBracket)
  }

  end(): unknown {
    const { text, inner } = this
    if (this.depth > 0 || this.isInString) throw malformed()
    if (inner === undefined) return this.parse(text)
    this.take(0, text.length)
    return inner.value
  }

  private get depth(): number {
    return this.opened.length - 1
  }

  private isList(depth: number): boolean {
    return depth === 0 || this.text.charCodeAt(this.opened[depth] ?? 0) === openBracket
  }

  private open(at: number): void {
    if (this.inner !== undefined || this.depth > this.text.length - at) throw malformed()
    this.opened.push(at)
    this.from.push(at + 1)
    this.memberFrom.push(at + 1)
  }

  private endMember(at: number): void {
    const { depth, from, inner, partLength } = this
    if (depth === 0) throw malformed()
    if (inner !== undefined || at - (from[depth] ?? 0) >= partLength) this.take(depth, at)
    this.memberFrom[depth] = at + 1
  }

  private close(at: number, isList: boolean): void {
    const { depth } = this
    if (depth === 0 || this.isList(depth) !== isList) throw malformed()
    const value = this.isShort(depth, at) ? undefined : this.valueOf(depth, at)
    const from = this.opened.pop() ?? 0
    this.from.pop()
    this.memberFrom.pop()
    if (value === undefined) return
    const memberFrom = this.memberFrom[depth - 1] ?? 0
    if (memberFrom > (this.from[depth - 1] ?? 0)) this.take(depth - 1, memberFrom - 1)
    this.inner = { value, from, to: at + 1 }
  }

  private isShort(depth: number, end: number): boolean {
    if (this.inner !== undefined || this.values.has(depth)) return false
    return end - (this.from[depth] ?? 0) < this.partLength
  }

  private valueOf(depth: number, end: number): object {
    const isBegun = this.inner !== undefined || this.values.has(depth)
    if (!isBegun && isBlank(this.text.slice(this.from[depth], end))) {
      return this.isList(depth) ? [] : {}
    }
    const value = this.take(depth, end)
    this.values.delete(depth)
    return value
  }

  /** Parses the remaining members up to index `to`. Returns all members of this depth so far. */
  private take(depth: number, to: number): object {
    const { text, inner } = this
    const from = this.from[depth] ?? 0
    // Replaces the member that was parsed on its own by `[]`, so that `parse` can check the text
    // around it.
    const members =
      inner === undefined
        ? text.slice(from, to)
        : `${text.slice(from, inner.from)}[]${text.slice(inner.to, to)}`
    const parsed = this.parse(this.isList(depth) ? `[${members}]` : `{${members}}`)
    const added = inner === undefined ? parsed : withMember(parsed, inner.value)
    if (typeof added !== 'object' || added === null || isEmpty(added)) throw malformed()
    const before = this.values.get(depth)
    const value = before === undefined ? added : joined(before, added)
    this.values.set(depth, value)
    this.inner = undefined
    this.from[depth] = to + 1
    this.memberFrom[depth] = to + 1
    this.taken += 1
    return value
  }
}

function isEscaped(text: string, at: number): boolean {
  let before = at - 1
  while (text.charCodeAt(before) === backslash) before -= 1
  return (at - before) % 2 === 0
}

/**
 * Returns the error for invalid JSON. Clients never see its message: they get the message of
 * `malformed_json`.
 */
function malformed(): SyntaxError {
  return new SyntaxError('no JSON')
}

function isBlank(text: string): boolean {
  return /^[ \t\n\r]*$/.test(text)
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value)
}

function isEmpty(value: object): boolean {
  return (isList(value) ? value : Object.keys(value)).length === 0
}

/** Replaces the only member of `parsed` by `member`. */
function withMember(parsed: unknown, member: unknown): unknown {
  if (isList(parsed)) return [member]
  return typeof parsed === 'object' && parsed !== null
    ? { [Object.keys(parsed)[0] ?? '']: member }
    : parsed
}

/**
 * Adds the members of `added` after the members of `before`. When both contain a name, the member
 * of `added` replaces the member of `before`, as in `JSON.parse`.
 */
function joined(before: object, added: object): object {
  if (isList(before) && isList(added)) {
    for (const item of added) before.push(item)
    return before
  }
  // `Object.assign` would set the prototype instead of adding a member.
  return Object.hasOwn(before, '__proto__') || Object.hasOwn(added, '__proto__')
    ? Object.fromEntries([...Object.entries(before), ...Object.entries(added)])
    : Object.assign(before, added)
}
