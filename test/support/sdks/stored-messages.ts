import { setTimeout as pause } from 'node:timers/promises'
import { Dossier, type Fact, type Properties } from 'dossier/client'

/** A numbered message as it is stored. */
export interface StoredMessage {
  readonly number: number
  /** The id of the entity. */
  readonly id: string
  /** The name of the event. `identify` for properties. */
  readonly name: string
  /** The time of the event. Undefined for properties, which have no time of their own. */
  readonly at: string | undefined
}

/** Returns all numbered messages that are stored now, in position order. */
export async function storedMessages(url: string, key: string): Promise<readonly StoredMessage[]> {
  const dossier = new Dossier({ url, key, timeoutMs: 600_000 })
  const facts = dossier.facts()
  const stored: StoredMessage[] = []
  for (let cursor = 'start'; ;) {
    const page = await facts.page({ cursor, limit: 1_000 })
    stored.push(...page.items.flatMap(messageIn))
    if (page.at_head) return stored
    cursor = page.next_cursor
  }
}

/** Returns the stored messages once `count` different ones are stored, or after the timeout in milliseconds. */
export async function onceStored(
  count: number,
  withinMs: number,
  look: () => Promise<readonly StoredMessage[]>,
): Promise<readonly StoredMessage[]> {
  const dueAt = performance.now() + withinMs
  for (;;) {
    const stored = await look()
    const numbers = new Set(stored.map(({ number }) => number))
    if (numbers.size >= count || performance.now() > dueAt) return stored
    await pause(500)
  }
}

function messageIn(fact: Fact): readonly StoredMessage[] {
  switch (fact.type) {
    case 'EntityCreated': {
      const { external_id: id, properties } = fact.data
      return numbered(properties, { id, name: 'identify', at: undefined })
    }
    case 'EntityPropertiesChanged': {
      const { external_id: id, set } = fact.data
      return numbered(set, { id, name: 'identify', at: undefined })
    }
    case 'EventRecorded': {
      const { entity_external_id: id, name, properties, occurred_at: at } = fact.data
      return numbered(properties, { id, name, at })
    }
    default:
      return []
  }
}

function numbered(
  properties: Properties,
  message: Omit<StoredMessage, 'number'>,
): readonly StoredMessage[] {
  const { n, traits, previousId } = properties
  const traitsOfGroup = typeof traits === 'object' && traits !== null ? traits : {}
  const inGroup = 'n' in traitsOfGroup ? traitsOfGroup['n'] : undefined
  const inAlias = typeof previousId === 'string' ? Number(previousId.slice(2)) : undefined
  const number = [n, inGroup, inAlias].find((one) => typeof one === 'number')
  return typeof number === 'number' ? [{ ...message, number }] : []
}
