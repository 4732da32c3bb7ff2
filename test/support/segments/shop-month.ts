import { ordersOfOneDay } from '../../../examples/online-retail/options.js'
import { inspectOrderFile, readOrderLines } from '../../../examples/online-retail/order-file.js'
import { changeProperties, createEntity, entityStream } from '../../../src/domain/entity.js'
import { recordEvent } from '../../../src/domain/event.js'
import type { AnyLogFact, LogFact } from './log-facts.js'

/**
 * The orders of a real shop as facts in the order of the file: its customers, their countries, purchases
 * and cancellations, recorded when they occurred. `SHOP_ORDERS` names a file of a month or more, as the
 * example takes it; without it, it is the day that comes with the example.
 */
export async function shopFacts(
  path = process.env['SHOP_ORDERS'] ?? ordersOfOneDay,
): Promise<readonly LogFact[]> {
  const facts: LogFact[] = []
  const countries = new Map<string, string>()
  const add = (externalId: string, fact: AnyLogFact) => {
    facts.push({ ...fact, stream: entityStream(externalId), position: facts.length + 1 })
  }
  const nextId = () => `01a1ff14-0000-7000-8000-${String(facts.length + 1).padStart(12, '0')}`
  for await (const { customer, event } of readOrderLines(await inspectOrderFile(path))) {
    if (customer === undefined) continue
    const { externalId, country } = customer
    const now = new Date(event.occurred_at)
    const before = countries.get(externalId)
    countries.set(externalId, country)
    const of = { externalId, now }
    if (before === undefined) {
      add(externalId, createEntity({ ...of, factId: nextId(), properties: { country } }).facts[0])
    } else if (before !== country) {
      const change = { ...of, factId: nextId(), set: { country }, unset: [] }
      add(externalId, changeProperties(change).facts[0])
    }
    const { name, properties } = event
    const recorded = { factId: nextId(), entityExternalId: externalId, now }
    add(externalId, recordEvent({ ...recorded, name, properties: { ...properties } }).facts[0])
  }
  return facts
}
