import { describe, expect, test } from '@jest/globals'
import type { Dossier } from '../../../examples/online-retail/dossier.js'
import { loadOrders } from '../../../examples/online-retail/load-orders.js'
import { toOrderLine, type OrderLine } from '../../../examples/online-retail/order-line.js'
import type { Outcome } from '../../../examples/online-retail/send-with-retries.js'
import { Tally } from '../../../examples/online-retail/tally.js'

const created: Outcome = { kind: 'created' }
const refused = (code: string): Outcome => ({ kind: 'refused', code })

function order(line: number, customer: string, country = 'France'): OrderLine {
  return toOrderLine(line, {
    InvoiceNo: '1',
    StockCode: 'A',
    Description: 'LAMP',
    Quantity: '1',
    InvoiceDate: '2010-12-01 08:26:00',
    UnitPrice: '1',
    CustomerID: customer,
    Country: country,
  })
}

/** The orders of these customers, one line each: `1`, or `1 Spain`. */
async function* ordersOf(...customers: readonly string[]): AsyncGenerator<OrderLine> {
  for (const [index, text] of customers.entries()) {
    const [customer = '', country] = text.split(' ')
    yield await Promise.resolve(order(index + 2, customer, country))
  }
}

/** Every write is stored, but for what the test says. */
function dossierWith(changes: Partial<Dossier> = {}): Dossier {
  const all = () => Promise.resolve(created)
  return { upsertCustomer: all, recordEvent: all, ...changes }
}

async function load(orders: AsyncGenerator<OrderLine>, dossier: Dossier, workers = 4) {
  const tally = new Tally()
  const done: number[] = []
  const calledOff: Error[] = []
  const lineDone = (line: number) => void done.push(line)
  const callOff = (error: Error) => void calledOff.push(error)
  const run = loadOrders(orders, dossier, tally, { workers, lineDone, callOff })
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
      upsertCustomer: async ({ externalId }) => {
        log.push(`create ${externalId}`)
        await new Promise(setImmediate)
        log.push(`created ${externalId}`)
        return created
      },
      recordEvent: ({ externalId }) => {
        log.push(`event ${externalId}`)
        return Promise.resolve(created)
      },
    }
    const { tally } = await load(ordersOf('1', '2', '1', '1', '2'), dossier)
    for (const id of ['1', '2']) {
      const ofCustomer = log.filter((entry) => entry.endsWith(id))
      expect(ofCustomer.slice(0, 2)).toEqual([`create ${id}`, `created ${id}`])
      expect(ofCustomer.slice(2)).toEqual(Array(id === '1' ? 3 : 2).fill(`event ${id}`))
    }
    expect(tally.customers.created).toBe(2)
    expect(tally.events.created).toBe(5)
  })

  test('has no more writes under way than it may, and no more lines in hand', async () => {
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
      return created
    }
    const recordEvent = async () => {
      const outcome = await send()
      answered += 1
      return outcome
    }
    const { tally, error } = await load(lines(), { upsertCustomer: send, recordEvent }, 7)
    expect(error).toBeUndefined()
    expect(most).toBe(7)
    expect(tally.events.created).toBe(200)
  })

  test('counts lines without a customer and does not send them', async () => {
    const sent: number[] = []
    const recordEvent: Dossier['recordEvent'] = (_customer, { line }) => {
      sent.push(line)
      return Promise.resolve(created)
    }
    const { tally, done } = await load(ordersOf('', '1', ''), dossierWith({ recordEvent }))
    expect(sent).toEqual([3])
    expect(tally).toMatchObject({ linesRead: 3, withoutCustomer: 2 })
    expect(done.sort()).toEqual([2, 3, 4])
  })

  test('brings a country up to date, one write after the other is answered', async () => {
    const log: string[] = []
    const upsertCustomer: Dossier['upsertCustomer'] = async ({ country }, line) => {
      log.push(`${country} of line ${String(line)}`)
      await new Promise(setImmediate)
      log.push('answered')
      return line === 2 ? created : { kind: 'updated' }
    }
    const orders = ordersOf('1 Cyprus', '1 Cyprus', '1 Austria', '1 Cyprus', '1 Cyprus')
    const { tally } = await load(orders, dossierWith({ upsertCustomer }))
    expect(log).toEqual([
      ...['Cyprus of line 2', 'answered'],
      ...['Austria of line 4', 'answered'],
      ...['Cyprus of line 5', 'answered'],
    ])
    expect(tally.customers).toMatchObject({ created: 1, updated: 2 })
    expect(tally.events.created).toBe(5)
  })

  test('sends no event of a customer that was refused, and counts its lines', async () => {
    const upsertCustomer: Dossier['upsertCustomer'] = ({ externalId }) =>
      Promise.resolve(externalId === '1' ? refused('validation_failed') : created)
    const { tally } = await load(ordersOf('1', '2', '1'), dossierWith({ upsertCustomer }))
    expect([...tally.customers.refused]).toEqual([['validation_failed', 1]])
    expect([...tally.events.refused]).toEqual([['customer_refused', 2]])
    expect(tally.events.created).toBe(1)
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
      line === 10 ? Promise.reject(failure) : Promise.resolve(created)
    const { error, calledOff } = await load(lines(), dossierWith({ recordEvent }))
    expect(error).toBe(failure)
    expect(calledOff).toEqual([failure])
    expect(taken).toBeLessThan(20)
  })
})
