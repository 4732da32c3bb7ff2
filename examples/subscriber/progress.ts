import type { Interruption, PassedOver, Position } from 'dossier/subscription'

/** Prints progress lines of a subscriber. */
export class Progress {
  /** The number of facts processed in this run. */
  private facts = 0
  private readonly unknownTypes = new Set<string>()

  constructor(
    private readonly say: (line: string) => void,
    private readonly position: () => Position | undefined,
  ) {}

  get text(): string {
    return `${placeOf(this.position())}: ${String(this.facts)} facts in this run`
  }

  processed(): void {
    this.facts += 1
  }

  begun(): void {
    const after = this.position()
    this.say(
      after === undefined
        ? 'begins with the first fact'
        : `goes on with the facts after position ${String(after.commit)}`,
    )
  }

  caughtUp(): void {
    this.say(`caught up at ${this.text}`)
  }

  /** Reports an event of an unknown type. Prints one line per type. */
  passedOver({ type }: PassedOver): void {
    if (this.unknownTypes.has(type)) return
    this.unknownTypes.add(type)
    this.say(`${type} is no type this program knows: such facts are passed over`)
  }

  interrupted({ reason, pauseMs }: Interruption): void {
    this.say(`interrupted, goes on in ${String(pauseMs)} ms: ${reason}`)
  }

  stopped(): void {
    this.say(`stopped at ${this.text}`)
  }
}

function placeOf(position: Position | undefined): string {
  return position === undefined ? 'the beginning' : `position ${String(position.commit)}`
}
