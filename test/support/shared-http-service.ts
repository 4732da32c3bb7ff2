import { afterAll, beforeEach } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { httpService, type HttpService, type ServiceParts } from './http-service.js'

/**
 * One server for all tests of a suite or a `describe`, each of which finds an empty store, an empty log
 * and a read model that follows: to make a server takes longer than most tests do. Tests that define
 * segments need their own, as the use cases keep the definitions that they have read.
 */
export function sharedHttpService(parts: Omit<ServiceParts, 'eventStore'> = {}): HttpService {
  const service = httpService(parts)
  beforeEach(() => {
    beginAnew(service)
  })
  afterAll(() => service.server.close())
  return service
}

/** Leaves nothing of the test before, but for what was changed of the server itself. */
export function beginAnew(service: HttpService): void {
  service.store = new MemoryEventStore()
  service.logged.beginAnew(service.store)
  service.readModel.beginAnew()
  service.log.lines.length = 0
  service.lifecycle.state = 'serving'
}
