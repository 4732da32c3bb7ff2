import { afterAll, beforeAll, describe } from '@jest/globals'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { describeServer } from './eventstoredb-server.js'

let double: EventStoreDouble
beforeAll(async () => {
  double = await EventStoreDouble.start()
})
afterAll(() => double.close())

describeServer('the double', () => double.connectionString)

const real = process.env['ESDB_TEST_URL']
const describeReal = real === undefined ? describe.skip : describe
describeReal('the real server', () => {
  describeServer('of ESDB_TEST_URL', () => real ?? '')
})
