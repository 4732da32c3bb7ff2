import type { FaultCode } from '../routes/reply-schemas.js'

/** Hears what the server answers; takes no time of its own. */
export interface RequestObserver {
  /**
   * Asked once for each route: what it returns is told of every reply to it, its status and the seconds
   * since the request's headers came. `method` and `route` are `none` of what has no route.
   */
  route(method: string, route: string): (status: number, seconds: number) => void
  /** A client was told of a fault. */
  fault(code: FaultCode): void
}

export const nobody: RequestObserver = {
  route: () => () => undefined,
  fault: () => undefined,
}
