/** What to say where no response comes. */
type NoResponse<Response> = (reason: string) => Response

/** Requests to the writer thread, beside appends, that have no response yet. */
export class PendingRequests<Response> {
  private readonly waiting = new Map<number, (response: Response) => void>()
  private last = 0

  constructor(
    private readonly timeoutMs: number,
    private readonly noResponse: NoResponse<Response>,
  ) {}

  /** `send` is given the request's id. */
  add(send: (id: number) => void): Promise<Response> {
    return new Promise((resolve) => {
      this.last += 1
      const id = this.last
      const end = (response: Response) => {
        clearTimeout(timer)
        this.waiting.delete(id)
        resolve(response)
      }
      const timer = setTimeout(() => {
        end(this.noResponse('the disk did not respond in time'))
      }, this.timeoutMs)
      this.waiting.set(id, end)
      send(id)
    })
  }

  /** One that comes too late is dropped. */
  respond(id: number, response: Response): void {
    this.waiting.get(id)?.(response)
  }

  endAll(reason: string): void {
    for (const end of [...this.waiting.values()]) end(this.noResponse(reason))
  }
}
