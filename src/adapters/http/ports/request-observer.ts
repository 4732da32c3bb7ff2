import type { FaultCode } from '../errors/faults.js'

/** Called with each reply of the server. Its methods return at once. */
export interface RequestObserver {
  /**
   * Called once for each route. The function that it returns is called at every reply to that route,
   * with the status and the seconds since the request's headers came. `method` and `route` are `none`
   * for requests without a route.
   */
  route(method: string, route: string): (status: number, seconds: number) => void
  /** Called for each fault in a reply. */
  fault(code: FaultCode): void
  /** Called when a stream of the feed begins or ends, with how many are open now. */
  feedReaders(count: number): void
}
