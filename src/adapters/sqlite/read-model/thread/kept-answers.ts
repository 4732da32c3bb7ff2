import type { Answer } from '../../../../application/reading/ports/read-model.js'
import type { ChangedProfiles } from './lent-profiles.js'

/** The most characters of kept answers. Each character has up to two bytes. */
const maxCharacters = 16_777_216

/** The memory of a kept answer besides its text, in characters. */
const overhead = 512

interface Kept<Value> {
  readonly answer: Answer<Value>
  readonly characters: number
}

/**
 * The answers about entities that this thread keeps, by external id. With them, it answers queries without the reader
 * thread. A kept answer is exact for every position up to the position in the latest message of the reader thread,
 * because each message names the entities whose answers have changed (`LentProfiles`).
 */
export class KeptAnswers<Query, Value> {
  private readonly kept = new Map<string, Kept<Value>>()
  private characters = 0
  private position = 0
  private logTime = 0

  constructor(private readonly externalIdOf: (query: Query) => string) {}

  /** Returns the answer for the latest known position. */
  get(query: Query): Answer<Value> | undefined {
    const answer = this.kept.get(this.externalIdOf(query))?.answer
    if (answer === undefined || answer.position >= this.position) return answer
    return { value: answer.value, position: this.position, logTime: this.logTime }
  }

  /** Keeps an answer. `length` is the length of its text. Drops the oldest answers when there are too many. */
  keep(query: Query, answer: Answer<Value>, length: number): void {
    const externalId = this.externalIdOf(query)
    this.drop(externalId)
    const characters = length + overhead
    this.kept.set(externalId, { answer, characters })
    this.characters += characters
    for (const oldest of this.kept.keys()) {
      if (this.characters <= maxCharacters) return
      this.drop(oldest)
    }
  }

  /** Drops the answers that have changed. */
  changed(profiles: ChangedProfiles): void {
    if (profiles === 'all') this.dropAll()
    else for (const externalId of profiles) this.drop(externalId)
  }

  /** Tells that the reader thread has reached a position. Call it after `changed`. */
  reached(position: number, logTime: number): void {
    if (position < this.position) return
    this.position = position
    this.logTime = logTime
  }

  /** Drops all answers and the latest known position. */
  dropAll(): void {
    this.kept.clear()
    this.characters = 0
    this.position = 0
    this.logTime = 0
  }

  private drop(externalId: string): void {
    const found = this.kept.get(externalId)
    if (found === undefined) return
    this.characters -= found.characters
    this.kept.delete(externalId)
  }
}
