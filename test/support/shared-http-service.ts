import { afterAll, beforeEach } from '@jest/globals'
import { MemoryEventStore } from '../../src/adapters/memory/memory-event-store.js'
import { httpService, type HttpService, type ServiceParts } from './http-service.js'

/**
 * Creates one server for all tests of a suite or a `describe`. Each test gets an empty store, an empty log and a
 * read model that follows it. Creating a server takes longer than most tests. Tests that define segments need their
 * own server, because use cases keep the definitions that they have read.
 */
export function sharedHttpService(parts: Omit<ServiceParts, 'eventStore'> = {}): HttpService {
  const service = httpService(parts)
  beforeEach(() => {
    resetService(service)
  })
  afterAll(() => service.server.close())
  return service
}

/** Clears the state of earlier tests. Changes to the server itself stay. */
export function resetService(service: HttpService): void {
  service.store = new MemoryEventStore()
  service.logged.reset(service.store)
  service.readModel.reset()
  service.log.lines.length = 0
  service.lifecycle.state = 'serving'
}
