import { describe, expect, test } from '@jest/globals'
import type { Dossier } from '../../../examples/online-retail/dossier.js'
import { loadOrders } from '../../../examples/online-retail/load-orders.js'
import { toOrderLine, type OrderLine } from '../../../examples/online-retail/order-line.js'
import type { Outcome } from '../../../examples/online-retail/send-with-retries.js'
import { Tally } from '../../../examples/online-retail/tally.js'

const stored: Outcome = { kind: 'stored' }
const refused = (code: string): Outcome => ({ kind: 'refused', code })

function order(line: number, customer: string): OrderLine {
  return toOrderLine(line, {
    InvoiceNo: '1',
    StockCode: 'A',
    Description: 'LAMP',
    Quantity: '1',
    InvoiceDate: '2010-12-01 08:26:00',
    UnitPrice: '1',
    CustomerID: customer,
    Country: 'France',
  })
}

/** The orders of these customers, one line each. */
async function* ordersOf(...customers: readonly string[]): AsyncGenerator<OrderLine> {
  for (const [index, customer] of customers.entries()) {
    yield await Promise.resolve(order(index + 2, customer))
  }
}

/** Every request is stored, but for what the test says. */
function dossierWith(changes: Partial<Dossier> = {}): Dossier {
  const all = () => Promise.resolve(stored)
  return { createCustomer: all, recordEvent: all, ...changes }
}

async function load(orders: AsyncGenerator<OrderLine>, dossier: Dossier, inFlight = 4) {
  const tally = new Tally()
  const done: number[] = []
  const calledOff: Error[] = []
  const lineDone = (line: number) => void done.push(line)
  const callOff = (error: Error) => void calledOff.push(error)
  const run = loadOrders(orders, dossier, tally, { inFlight, lineDone, callOff })
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  return { tally, done, calledOff, error }
}

describe('a file that is sent', () => {
  test('creates each customer once, and sends no event before its customer is there', async () => {
    const log: string[] = []
    const dossier: Dossier = {
      createCustomer: async ({ externalId }) => {
        log.push(`create ${externalId}`)
        await new Promise(setImmediate)
        log.push(`created ${externalId}`)
        return stored
      },
      recordEvent: ({ externalId }) => {
        log.push(`event ${externalId}`)
        return Promise.resolve(stored)
      },
    }
    const { tally } = await load(ordersOf('1', '2', '1', '1', '2'), dossier)
    for (const id of ['1', '2']) {
      const ofCustomer = log.filter((entry) => entry.endsWith(id))
      expect(ofCustomer.slice(0, 2)).toEqual([`create ${id}`, `created ${id}`])
      expect(ofCustomer.slice(2)).toEqual(Array(id === '1' ? 3 : 2).fill(`event ${id}`))
    }
    expect(tally.customers.stored).toBe(2)
    expect(tally.events.stored).toBe(5)
  })

  test('has no more requests under way than it may, and no more lines in hand', async () => {
    let underWay = 0
    let most = 0
    let taken = 0
    let answered = 0
    const lines = async function* () {
      for (let line = 2; line < 202; line += 1) {
        taken += 1
        expect(taken - answered).toBeLessThanOrEqual(8)
        yield await Promise.resolve(order(line, String(line % 3)))
      }
    }
    const send = async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await new Promise(setImmediate)
      underWay -= 1
      return stored
    }
    const recordEvent = async () => {
      const outcome = await send()
      answered += 1
      return outcome
    }
    const { tally, error } = await load(lines(), { createCustomer: send, recordEvent }, 7)
    expect(error).toBeUndefined()
    expect(most).toBe(7)
    expect(tally.events.stored).toBe(200)
  })

  test('counts lines without a customer and does not send them', async () => {
    const sent: number[] = []
    const recordEvent: Dossier['recordEvent'] = (_customer, { line }) => {
      sent.push(line)
      return Promise.resolve(stored)
    }
    const { tally, done } = await load(ordersOf('', '1', ''), dossierWith({ recordEvent }))
    expect(sent).toEqual([3])
    expect(tally).toMatchObject({ linesRead: 3, withoutCustomer: 2 })
    expect(done.sort()).toEqual([2, 3, 4])
  })

  test('goes on with a customer that another file created', async () => {
    const createCustomer = () => Promise.resolve(refused('entity_exists'))
    const { tally } = await load(ordersOf('1', '1'), dossierWith({ createCustomer }))
    expect(tally.customersAlreadyThere).toBe(1)
    expect(tally.customers.allRefused).toBe(0)
    expect(tally.events.stored).toBe(2)
    expect(tally.fault()).toBeUndefined()
  })

  test('sends no event of a customer that was refused, and counts its lines', async () => {
    const createCustomer: Dossier['createCustomer'] = ({ externalId }) =>
      Promise.resolve(externalId === '1' ? refused('validation_failed') : stored)
    const { tally } = await load(ordersOf('1', '2', '1'), dossierWith({ createCustomer }))
    expect([...tally.customers.refused]).toEqual([['validation_failed', 1]])
    expect([...tally.events.refused]).toEqual([['customer_refused', 2]])
    expect(tally.events.stored).toBe(1)
    expect(tally.fault()).toBeUndefined()
  })

  test('counts refused events by code', async () => {
    const codes = ['forbidden', 'validation_failed', 'forbidden']
    const recordEvent: Dossier['recordEvent'] = (_customer, { line }) =>
      Promise.resolve(refused(codes[line - 2] ?? ''))
    const { tally } = await load(ordersOf('1', '1', '1'), dossierWith({ recordEvent }))
    expect(Object.fromEntries(tally.events.refused)).toEqual({ forbidden: 2, validation_failed: 1 })
    expect(tally.fault()).toBeUndefined()
  })

  test('stops at the first error: calls the rest off and takes no more lines', async () => {
    let taken = 0
    const lines = async function* () {
      for (let line = 2; ; line += 1) {
        taken += 1
        yield await Promise.resolve(order(line, '1'))
      }
    }
    const failure = new Error('over')
    const recordEvent: Dossier['recordEvent'] = (_customer, { line }) =>
      line === 10 ? Promise.reject(failure) : Promise.resolve(stored)
    const { error, calledOff } = await load(lines(), dossierWith({ recordEvent }))
    expect(error).toBe(failure)
    expect(calledOff).toEqual([failure])
    expect(taken).toBeLessThan(20)
  })
})
